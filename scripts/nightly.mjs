// `.ci/nightly`: runs what `.ci/run` has no time for, one spec after the other: all slow specs, then all faults, then what
// uses the service as a whole, and what batches, jobs and webhooks send to the database, on the oldest PostgreSQL. It remembers
// what passed at this commit, so that a run that was interrupted goes on where it ended; `--fresh` forgets it. The output of
// each spec goes to `.data/nightly`. A spec that fails runs once more, and is called flaky when it then passes.
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { dataFolder, root, writeWhole } from '../apps/launcher/src/data-folder.mjs';
import { filesBelow } from '../apps/launcher/src/sources.mjs';

const QUICK_FAULT = /^test\/faults\/quick\/.*\.fault-spec\.ts$/;
/** The oldest PostgreSQL on which the service runs. */
const OLDEST_POSTGRES = '15';

/** The runs in their order: the project of Jest, its specs, and the version of PostgreSQL if it is not the one that npm brings. */
const RUNS = [
  { project: 'slow', pattern: /\.slow\.(int|e2e)-spec\.ts$/ },
  { project: 'faults-quick', pattern: QUICK_FAULT },
  { project: 'faults-slow', pattern: /^test\/faults\/slow\/.*\.fault-spec\.ts$/ },
  { project: 'e2e', pattern: /^test\/e2e\/(?!.*\.slow\.).*\.e2e-spec\.ts$/, postgres: OLDEST_POSTGRES },
  {
    project: 'integration',
    pattern: /^libs\/(bulk|jobs|webhooks)\/(?!.*\.slow\.).*\.int-spec\.ts$/,
    postgres: OLDEST_POSTGRES,
  },
  { project: 'faults-quick', pattern: QUICK_FAULT, postgres: OLDEST_POSTGRES },
];
const FOLDERS = ['apps', 'libs', 'test'];
/** No spec takes as long; one that hangs must not end the night. */
const MAX_MINUTES = 30;

const folder = path.join(dataFolder(), 'nightly');
const stateFile = path.join(folder, 'passed.json');

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(process.argv.slice(2));

async function main(words) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const version = versionOfSources();
  const isFresh = words.includes('--fresh') || version === undefined;
  const passed = isFresh ? {} : remembered(version, readState());
  const specs = nightlySpecs(FOLDERS.flatMap(filesBelow));
  const runs = [];
  for (const spec of specs) {
    const { name } = spec;
    const known = passed[name];
    const run = known ?? (await runSpec(spec));
    runs.push({ name, ...run });
    console.log(lineOf({ name, ...run }, known !== undefined));
    if (run.status === 'failed' || run.status === 'skipped' || version === undefined) continue;
    passed[name] = run;
    writeWhole(stateFile, JSON.stringify({ version, passed }));
  }
  console.log(nightlySummary(runs));
  process.exitCode = runs.some(({ status }) => status === 'failed') ? 1 : 0;
}

/** The specs in the order in which they run; a spec that runs on two versions of PostgreSQL has two names. */
export function nightlySpecs(files) {
  return RUNS.flatMap(({ pattern, ...run }) =>
    files
      .filter((file) => pattern.test(file))
      .sort()
      .map((file) => ({
        ...run,
        file,
        name: run.postgres === undefined ? file : `${file} on PostgreSQL ${run.postgres}`,
      })),
  );
}

/** What passed at this version, by name; nothing where the state is of another one. */
export function remembered(version, state) {
  return state?.version === version ? state.passed : {};
}

/** The status of a run of one spec, by its exit code and by what `npm test` printed. */
export function statusOf(code, output) {
  if (code !== 0 || !/^tests: /m.test(output)) return 'failed';
  // The machine has no such PostgreSQL: nothing was tested.
  if (/^tests: 0 passed, 0 failed, \d+ skipped/m.test(output)) return 'skipped';
  return /^flaky: /m.test(output) ? 'flaky' : 'passed';
}

/** The lines at the end: the specs that failed, were flaky or were skipped, then the counts. */
export function nightlySummary(runs) {
  const of = (wanted) => runs.filter(({ status }) => status === wanted).map(({ name }) => name);
  const minutes = runs.reduce((sum, { seconds }) => sum + seconds, 0) / 60;
  const [failed, flaky, skipped] = [of('failed'), of('flaky'), of('skipped')];
  const passed = runs.length - failed.length - skipped.length;
  return [
    ...failed.map((name) => `failed: ${name}, see ${path.relative(root, logOf(name))}`),
    ...flaky.map((name) => `flaky: ${name} failed at first, and passed when it was repeated`),
    ...skipped.map((name) => `skipped: ${name}, see ${path.relative(root, logOf(name))}`),
    `nightly: ${passed} passed, ${failed.length} failed, ${skipped.length} skipped, ${minutes.toFixed(0)} minutes`,
  ].join('\n');
}

/** The commit; undefined, so that nothing is remembered, where there are changes that are not committed. */
function versionOfSources() {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  try {
    return git('status', '--porcelain') === '' ? git('rev-parse', 'HEAD') : undefined;
  } catch {
    return undefined;
  }
}

function readState() {
  return existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, 'utf8')) : undefined;
}

async function runSpec({ project, file, name, postgres }) {
  const began = Date.now();
  const options = ['--again', '--queues=both', ...(postgres === undefined ? [] : [`--postgres=${postgres}`])];
  const words = [...options, `--only=${project}`, '--runInBand', '--runTestsByPath', file];
  const log = openSync(logOf(name), 'w');
  const child = spawn(process.execPath, [path.join(root, 'scripts/test.mjs'), ...words], {
    cwd: root,
    stdio: ['ignore', log, log],
    timeout: MAX_MINUTES * 60_000,
  });
  closeSync(log);
  const code = await new Promise((resolve) => child.once('close', resolve));
  const status = statusOf(code, readFileSync(logOf(name), 'utf8'));
  return { status, seconds: Math.round((Date.now() - began) / 1_000) };
}

function logOf(name) {
  return path.join(folder, `${name.replaceAll(/[/ ]/g, '_')}.log`);
}

function lineOf({ name, status, seconds }, isKnown) {
  return `${status.padEnd(6)} ${name} (${seconds} s${isKnown ? ', of an earlier run' : ''})`;
}
