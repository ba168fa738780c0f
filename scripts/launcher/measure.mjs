import path from 'node:path';
import { install, needsInstall } from './install.mjs';
import { handOver, isNode24 } from './node24.mjs';
import { report, StartError } from './output.mjs';
import { root } from './paths.mjs';
import { run, tied } from './processes.mjs';

/** Brings all that a measurement needs, then runs it: a script of dist/bench. Ends the process when it fails. */
export async function measure(script) {
  try {
    if (needsInstall()) await install();
    if (isNode24()) await withServices(() => import(path.join(root, 'dist/bench', script)));
    else await handOver(process.argv.slice(1));
  } catch (error) {
    report(error);
    process.exit(1);
  }
}

async function withServices(work) {
  const { startServices } = await import('../../test/support/services.mjs');
  const services = await startServices({ durable: true });
  try {
    await compile();
    await work();
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
  if (code !== 0) throw new StartError(`The measurement could not be built.\n${stderr}`);
}
