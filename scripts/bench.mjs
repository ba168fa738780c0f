// `npm run bench [-- --captures 24 --rounds 4 --concurrency 1,2,4]`: brings all it needs, then runs bench/run.ts.
// `npm run bench -- history` and `npm run bench -- egress` run bench/history.ts and bench/egress.ts instead.
import path from 'node:path';
import { install, needsInstall } from './launcher/install.mjs';
import { handOver, isNode24 } from './launcher/node24.mjs';
import { report, StartError } from './launcher/output.mjs';
import { root } from './launcher/paths.mjs';
import { run, tied } from './launcher/processes.mjs';

const OTHERS = ['history', 'egress'];

try {
  if (needsInstall()) await install();
  if (isNode24()) await bench();
  else await handOver(process.argv.slice(1));
} catch (error) {
  report(error);
  process.exit(1);
}

async function bench() {
  const { startServices } = await import('../test/support/services.mjs');
  const services = await startServices({ durable: true });
  try {
    await compile();
    const [, , word] = process.argv;
    await import(`../dist/bench/${OTHERS.includes(word) ? word : 'run'}.js`);
  } finally {
    await services.stop();
  }
}

async function compile() {
  const swc = path.join(root, 'node_modules/@swc/cli/bin/swc.js');
  const { code, stderr } = await run(
    tied(process.execPath, [swc, 'bench', 'test/support', '-d', 'dist', '--extensions', '.ts', '-q']),
    { cwd: root },
  );
  if (code !== 0) throw new StartError(`The bench could not be built.\n${stderr}`);
}
