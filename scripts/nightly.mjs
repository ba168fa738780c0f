// `.ci/nightly`: runs what `.ci/run` has no time for, one spec after the other: all slow specs, then all faults. It remembers
// what passed at this commit, so that a run that was interrupted goes on where it ended; `--fresh` forgets it. The output of
// each spec goes to `.data/nightly`. A spec that fails runs once more, and is called flaky when it then passes.
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { dataFolder, root, writeWhole } from '../apps/launcher/src/data-folder.mjs';
import { filesBelow } from '../apps/launcher/src/sources.mjs';

/** The projects of Jest, in the order of their runs, with the specs of each. */
const PROJECTS = [
  ['slow', /\.slow\.(int|e2e)-spec\.ts$/],
  ['faults-quick', /^test\/faults\/quick\/.*\.fault-spec\.ts$/],
  ['faults-slow', /^test\/faults\/slow\/.*\.fault-spec\.ts$/],
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
  for (const { project, file } of specs) {
    const known = passed[file];
    const run = known ?? (await runSpec(project, file));
    runs.push({ file, ...run });
    console.log(lineOf({ file, ...run }, known !== undefined));
    if (run.status === 'failed' || version === undefined) continue;
    passed[file] = run;
    writeWhole(stateFile, JSON.stringify({ version, passed }));
  }
  console.log(nightlySummary(runs));
  process.exitCode = runs.some(({ status }) => status === 'failed') ? 1 : 0;
}

/** The specs in the order in which they run. */
export function nightlySpecs(files) {
  return PROJECTS.flatMap(([project, pattern]) =>
    files
      .filter((file) => pattern.test(file))
      .sort()
      .map((file) => ({ project, file })),
  );
}

/** What passed at this version, by file; nothing where the state is of another one. */
export function remembered(version, state) {
  return state?.version === version ? state.passed : {};
}

/** The status of a run of one spec, by its exit code and by what `npm test` printed. */
export function statusOf(code, output) {
  if (code !== 0 || !/^tests: /m.test(output)) return 'failed';
  return /^flaky: /m.test(output) ? 'flaky' : 'passed';
}

/** The lines at the end: the specs that failed or were flaky, then the counts. */
export function nightlySummary(runs) {
  const of = (wanted) => runs.filter(({ status }) => status === wanted).map(({ file }) => file);
  const minutes = runs.reduce((sum, { seconds }) => sum + seconds, 0) / 60;
  const [failed, flaky] = [of('failed'), of('flaky')];
  return [
    ...failed.map((file) => `failed: ${file}, see ${path.relative(root, logOf(file))}`),
    ...flaky.map((file) => `flaky: ${file} failed at first, and passed when it was repeated`),
    `nightly: ${runs.length - failed.length} passed, ${failed.length} failed, ${minutes.toFixed(0)} minutes`,
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

async function runSpec(project, file) {
  const began = Date.now();
  const words = ['--again', '--queues=both', `--only=${project}`, '--runInBand', '--runTestsByPath', file];
  const log = openSync(logOf(file), 'w');
  const child = spawn(process.execPath, [path.join(root, 'scripts/test.mjs'), ...words], {
    cwd: root,
    stdio: ['ignore', log, log],
    timeout: MAX_MINUTES * 60_000,
  });
  closeSync(log);
  const code = await new Promise((resolve) => child.once('close', resolve));
  const status = statusOf(code, readFileSync(logOf(file), 'utf8'));
  return { status, seconds: Math.round((Date.now() - began) / 1_000) };
}

function logOf(file) {
  return path.join(folder, `${file.replaceAll('/', '_')}.log`);
}

function lineOf({ file, status, seconds }, isKnown) {
  return `${status.padEnd(6)} ${file} (${seconds} s${isKnown ? ', of an earlier run' : ''})`;
}
