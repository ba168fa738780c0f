// `npm test`: installs what is missing and runs the Jest projects under the pinned Node. Arguments go to Jest, but
// `--only=unit` (or integration, e2e, faults-quick, faults-slow; several with commas), which chooses projects, and
// `--again`, which runs the few specs that failed once more, by themselves.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { install, needsInstall } from './launcher/install.mjs';
import { handOver } from './launcher/node24.mjs';
import { report } from './launcher/output.mjs';
import { root } from './launcher/paths.mjs';
import { RESULTS_FILE } from './test-results.mjs';
import { failedSpecs, summaryOf, tally } from './test-tally.mjs';

const jest = path.join(root, 'node_modules/jest/bin/jest.js');
// Jest loads ECMAScript modules only with this flag of Node's.
const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

// All but the faults that take minutes, which `npm run test:faults` adds. Faults take the machine from others, so they come
// after all else, two at a time: each mostly waits.
const USUAL = [['unit,integration,e2e'], ['faults-quick', '--maxWorkers=2']];

/** More than this many broken specs are no accident of a busy machine. */
const MOST_AGAIN = 5;

try {
  process.chdir(root);
  if (needsInstall()) await install();
  await run(process.argv.slice(2));
} catch (error) {
  report(error);
  process.exit(1);
}

async function run(words) {
  const only = words.find((word) => word.startsWith('--only='))?.slice('--only='.length);
  const again = words.includes('--again');
  const rest = words.filter((word) => word !== '--again' && !word.startsWith('--only='));
  const results = [];
  let failed = 0;
  for (const [projects, ...options] of runsOf(only, rest)) {
    const first = await runJest(projects, [...rest, ...options]);
    const specs = failedSpecs(first.results);
    const isFew = specs.length > 0 && specs.length <= MOST_AGAIN;
    const second =
      again && isFew && first.signal === null
        ? await runJest(projects, ['--runInBand', '--runTestsByPath', ...specs])
        : undefined;
    failed ||= (second ?? first).code;
    results.push(tally(first.results, second?.results));
    if (first.signal !== null) break;
  }
  console.log(summaryOf(results));
  process.exitCode = failed;
}

/** One run of Jest, with what it says of each spec. */
async function runJest(projects, options) {
  const folder = await mkdtemp(path.join(tmpdir(), 'capture-tests-'));
  const file = path.join(folder, 'results.json');
  process.env[RESULTS_FILE] = file;
  try {
    // Jest takes all words after `--selectProjects` for projects, and after `--reporters` for reporters.
    const signal = await handOver([
      ...flags,
      jest,
      ...options,
      '--reporters=default',
      `--reporters=${path.join(root, 'scripts/test-results.mjs')}`,
      '--selectProjects',
      ...projects.split(','),
    ]);
    const results = await readFile(file, 'utf8').then(JSON.parse, () => []);
    return { code: process.exitCode, signal, results };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function runsOf(only, rest) {
  if (only !== undefined) return [[only]];
  // In the run that a path leads to; the other one would find nothing to do, which Jest takes for a mistake.
  return rest.length === 0 ? USUAL : [['unit,integration,e2e,faults-quick']];
}
