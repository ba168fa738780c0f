// node scripts/node24.mjs [flags] script.js [arguments]: runs a script on Node 24, whichever Node runs this.
import { handOver } from './launcher/node24.mjs';
import { report } from './launcher/output.mjs';

try {
  await handOver(process.argv.slice(2));
} catch (error) {
  report(error);
  process.exit(1);
}
