// `npm run build`: compiles everything into dist.
import { build } from '../apps/launcher/src/build.mjs';
import { report, say } from '../apps/launcher/src/output.mjs';
import { provide } from '../apps/launcher/src/packages.mjs';

try {
  await provide('service');
  await build({ force: true });
  say('built into dist');
} catch (error) {
  report(error);
  process.exit(1);
}
