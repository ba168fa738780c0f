// `npm start`: installs what is missing, hands over to the pinned Node, and runs the whole service in one terminal.
import { install, needsInstall } from './launcher/install.mjs';
import { provideFonts } from './launcher/fonts.mjs';
import { handOver, isNode24 } from './launcher/node24.mjs';
import { report } from './launcher/output.mjs';
import { dataFolder, loadDotEnv } from './launcher/paths.mjs';

try {
  loadDotEnv();
  // Fetching fonts needs no packages, so it costs nothing while npm works.
  if (needsInstall()) await Promise.all([install(), provideFonts({ dataDir: dataFolder() })]);
  if (isNode24()) await (await import('./launcher/run.mjs')).runService();
  else await handOver(process.argv.slice(1));
} catch (error) {
  report(error);
  process.exit(1);
}
