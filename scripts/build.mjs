// `npm run build`: compiles everything into dist.
import { build } from './launcher/build.mjs';
import { install, needsInstall } from './launcher/install.mjs';
import { report, say } from './launcher/output.mjs';

try {
  if (needsInstall()) await install();
  await build({ force: true });
  say('built into dist');
} catch (error) {
  report(error);
  process.exit(1);
}
