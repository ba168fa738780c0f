/** `npm run check`: everything about the code that is not a test. A failed check prints its output, any other one line. */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { root } from '../apps/launcher/src/data-folder.mjs';
import { provide } from '../apps/launcher/src/packages.mjs';
import { handOver, isNode24 } from '../apps/launcher/src/runtime.mjs';

/** The arguments of node for each check. The slow ones come first, so that none is left to run alone. */
const CHECKS = {
  lint: ['node_modules/oxlint/bin/oxlint', '--config', 'oxlint.config.mjs', '--format', 'unix'],
  rules: ['test/architecture/rules-bite.mjs'],
  generated: ['scripts/gen.mjs', '--check'],
  types: ['node_modules/typescript-native/bin/tsc', '--noEmit', '-p', 'tsconfig.json'],
  console: ['node_modules/typescript-native/bin/tsc', '--noEmit', '-p', 'apps/console'],
  clients: ['scripts/check/clients.mjs'],
  openapi: ['scripts/check/openapi.mjs'],
  format: ['node_modules/oxfmt/bin/oxfmt', '--check', '.'],
  audit: ['scripts/check/audit.mjs'],
  licences: ['scripts/check/licences.mjs'],
  unused: ['node_modules/knip/bin/knip.js'],
  directions: [
    'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs',
    'apps',
    'libs',
    'test',
    'bench',
    'scripts',
  ],
};

/** The output of a check that cannot run on this machine: this prefix and the reason in one line, and exit code 0. */
const SKIPPED = 'skipped: ';

await provide('everything');
if (isNode24()) await checkAll();
else await handOver([fileURLToPath(import.meta.url), ...process.argv.slice(2)]);

/** Runs all checks, or those named on the command line. */
async function checkAll() {
  const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(CHECKS);
  const unknown = names.filter((name) => !(name in CHECKS));
  if (unknown.length > 0)
    throw new Error(`No check is called ${unknown.join(', ')}: ${Object.keys(CHECKS).join(', ')}`);
  const queue = [...names];
  const failed = [];
  let skipped = 0;
  const runner = async () => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      const began = Date.now();
      const { code, output } = await run(CHECKS[name]);
      const seconds = ((Date.now() - began) / 1_000).toFixed(1);
      const isSkipped = code === 0 && output.startsWith(SKIPPED);
      const verdict = isSkipped ? output.trim() : code === 0 ? 'ok' : 'failed';
      console.log(`${name.padEnd(10)} ${verdict} (${seconds} s)`);
      if (isSkipped) skipped += 1;
      if (code === 0) continue;
      failed.push(name);
      console.log(output.trimEnd());
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, runner));
  const passed = names.length - failed.length - skipped;
  console.log(
    `checks: ${passed} passed, ${failed.length} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`,
  );
  process.exitCode = failed.length === 0 ? 0 : 1;
}

function run(args) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  }
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: 1, output: String(error) }));
    child.once('close', (code) => resolve({ code, output }));
  });
}
