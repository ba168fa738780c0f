// node scripts/node24.mjs [flags] script.js [arguments]: runs a script on Node 24, whichever Node runs this one.
import { report } from '../apps/launcher/src/output.mjs';
import { handOver } from '../apps/launcher/src/runtime.mjs';

try {
  await handOver(process.argv.slice(2));
} catch (error) {
  report(error);
  process.exit(1);
}
