// `npm test`: installs what is missing and runs the Jest projects on Node 24. Arguments go to Jest, except
// `--only=unit` (or integration, e2e, slow, faults-quick, faults-slow; several with commas), which chooses projects, or
// `--only=acceptance`, which runs the scenarios of test/acceptance by Cucumber, and
// `--again`, which runs the specs that failed once more, by themselves, and `--postgres=15`, which runs them on that
// version of PostgreSQL. A machine that has none, and cannot fetch Debian's, skips the run. `--queues=both` runs each fault with the
// queue in Redis, too.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../apps/launcher/src/data-folder.mjs';
import { findDebianPostgres } from '../apps/launcher/src/debian-postgres.mjs';
import { report, say, StartError } from '../apps/launcher/src/output.mjs';
import { provide } from '../apps/launcher/src/packages.mjs';
import { handOver } from '../apps/launcher/src/runtime.mjs';
import { failedSpecs, RESULTS_FILE, summaryOf, tally } from './test-results.mjs';

const jest = path.join(root, 'node_modules/jest/bin/jest.js');
/** The run that is none of Jest. */
const ACCEPTANCE = 'acceptance';
const scenarios = path.join(root, 'test/acceptance/run.mjs');

// Everything except what takes minutes, which `npm run test:slow` and `npm run test:faults` add. Faults would disturb other
// specs, so they run after them.
const DEFAULT_RUNS = [['unit,integration,e2e'], [ACCEPTANCE], ['faults-quick']];

const POSTGRES = '--postgres=';
const BOTH_QUEUES = '--queues=both';

/** More failed specs than these are no accident of a busy machine. */
const MAX_REPEATED = 10;

// The specs start hundreds of processes of the service and its command line.
process.env.NODE_COMPILE_CACHE ||= path.join(root, 'node_modules/.cache/compile');

try {
  process.chdir(root);
  await provide('everything');
  await run(process.argv.slice(2));
} catch (error) {
  report(error);
  process.exit(1);
}

async function run(words) {
  const only = words.find((word) => word.startsWith('--only='))?.slice('--only='.length);
  const again = words.includes('--again');
  const version = words.find((word) => word.startsWith(POSTGRES))?.slice(POSTGRES.length);
  if (version !== undefined && !(await usePostgres(version))) return;
  if (words.includes(BOTH_QUEUES)) process.env.TEST_QUEUES = 'both';
  const own = ['--again', '--only=', POSTGRES, BOTH_QUEUES];
  const rest = words.filter((word) => !own.some((begin) => word.startsWith(begin)));
  const results = [];
  let failed = 0;
  for (const [projects, ...options] of runsOf(only, rest)) {
    const first = await runTests(projects, [...rest, ...options]);
    const specs = failedSpecs(first.results);
    const isFew = specs.length > 0 && specs.length <= MAX_REPEATED;
    const second =
      again && isFew && first.signal === null
        ? await runTests(projects, ['--runInBand', '--runTestsByPath', ...specs])
        : undefined;
    failed ||= (second ?? first).code;
    results.push(tally(first.results, second?.results));
    if (first.signal !== null) break;
  }
  console.log(summaryOf(results));
  process.exitCode = failed;
}

/** Chooses the PostgreSQL of the specs; false, with the summary of a run that was skipped, where there is none. */
async function usePostgres(version) {
  if (!/^\d+$/.test(version))
    throw new StartError(`${POSTGRES}${version}: name a version, such as ${POSTGRES}15.`);
  process.env.TEST_POSTGRES = version;
  if (await findDebianPostgres(version)) return true;
  say(`no PostgreSQL ${version} on this machine, and apt brings none: the run on it is SKIPPED`);
  console.log(summaryOf([{ passed: 0, failed: 0, skipped: 1, flaky: [] }]));
  return false;
}

/** Runs Jest or Cucumber once, and reads the result of each spec or feature file. */
async function runTests(projects, options) {
  const folder = await mkdtemp(path.join(tmpdir(), 'capture-tests-'));
  const file = path.join(folder, 'results.json');
  process.env[RESULTS_FILE] = file;
  try {
    const signal = await handOver(
      projects === ACCEPTANCE ? acceptanceArguments(options, file) : jestArguments(projects, options),
    );
    const results = await readFile(file, 'utf8').then(JSON.parse, () => []);
    return { code: process.exitCode, signal, results };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function jestArguments(projects, options) {
  // Jest takes all words after `--selectProjects` for projects, and after `--reporters` for reporters.
  return [
    jest,
    ...options,
    '--reporters=default',
    `--reporters=${path.join(root, 'scripts/test-results.mjs')}`,
    '--selectProjects',
    ...projects.split(','),
  ];
}

/** Without the options, which are those of Jest. */
function acceptanceArguments(options, resultsFile) {
  return [scenarios, resultsFile, ...options.filter((option) => !option.startsWith('--'))];
}

function runsOf(only, rest) {
  if (only !== undefined) return splitRuns(only.split(','));
  // One run, wherever the paths lead: Jest fails a run without tests.
  return rest.length === 0 ? DEFAULT_RUNS : [['unit,integration,e2e,slow,faults-quick']];
}

/** Jest runs its projects at once. */
function splitRuns(projects) {
  const ofJest = projects.filter((project) => project !== ACCEPTANCE).join(',');
  return [ofJest, ...projects.filter((project) => project === ACCEPTANCE)]
    .filter(Boolean)
    .map((run) => [run]);
}
