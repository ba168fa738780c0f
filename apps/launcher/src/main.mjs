// `npm start`: installs what is missing, hands over to Node 24, and runs the whole service in one terminal.
// Node 20.19 must be able to run this file and what it imports.
import { dataFolder, loadDotEnv } from './data-folder.mjs';
import { provideFonts } from './fonts.mjs';
import { listFonts } from './installed-fonts.mjs';
import { report } from './output.mjs';
import { needsInstall, provide } from './packages.mjs';
import { handOver, isNode24 } from './runtime.mjs';

try {
  loadDotEnv();
  // Fetching fonts needs no packages, so it runs while npm works.
  await Promise.all([
    provide('service'),
    needsInstall('service') &&
      listFonts().then((installed) => provideFonts({ dataDir: dataFolder(), installed })),
  ]);
  if (isNode24()) await (await import('./service.mjs')).runService();
  else await handOver(process.argv.slice(1));
} catch (error) {
  report(error);
  process.exit(1);
}
