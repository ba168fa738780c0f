import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildConsole } from './console-build.mjs';
import { root } from './data-folder.mjs';
import { StartError } from './output.mjs';
import { run, tied } from './processes.mjs';
import { node24 } from './runtime.mjs';
import { filesBelow, fingerprint, isTest } from './sources.mjs';
import { runTask } from './tasks.mjs';

const SOURCES = ['apps', 'libs', 'scripts', 'bench', 'test/support', 'test/acceptance'].filter((folder) =>
  existsSync(path.join(root, folder)),
);
const SETTINGS = [
  '.swcrc',
  'package-lock.json',
  'apps/launcher/fetched-packages.json',
  'apps/launcher/src/bundle.mjs',
  'apps/launcher/src/compile.mjs',
  'libs/filters/lists/chats.txt',
  'libs/filters/lists/rule-sets.json',
];
/** The pages of the console have a build of their own. */
const CONSOLE = 'apps/console/';

const STAMP = path.join(root, 'dist/.built');
const LISTS_STAMP = path.join(root, 'dist/.lists-built');
/** The folder of the bundles, from the root. */
export const BUNDLES = 'dist/bundles';
const BUNDLES_STAMP = path.join(root, BUNDLES, '.built');
/** A service that runs may still have chunks of an earlier build to load. */
const KEEP_CHUNKS_MS = 24 * 60 * 60_000;

/** @typedef {{ force?: boolean, withConsole?: boolean }} BuildOptions */

/** Identifies the build. Undefined when there is no finished build. */
export function buildStamp() {
  return existsSync(STAMP) ? readFileSync(STAMP, 'utf8') : undefined;
}

/**
 * Builds into dist what has changed since the last build. Resolves to whether it built anything.
 *
 * @param {BuildOptions} [options]
 * @throws StartError with the output of the compiler
 */
export const build = (options) => beginBuild(options).built;

/**
 * Begins to build the programs with SWC, the filter lists, and the pages of the console with Vite. It does not check types:
 * that is `npm run check`. `compiled` resolves when the programs can run, which read the lists and the pages later.
 *
 * @param {BuildOptions} [options]
 */
export function beginBuild({ force = false, withConsole = true } = {}) {
  const compiled = buildPrograms(force);
  const all = [compiled, compiled.then(buildFilterLists), withConsole && buildConsole({ force })];
  return { compiled, built: Promise.all(all).then((built) => built.includes(true)) };
}

/** @param {boolean} force */
async function buildPrograms(force) {
  const state = fingerprint([...SETTINGS, ...sourceFiles()]);
  if (!force && buildStamp() === state) return false;
  // The old build is overwritten, not wiped first: a service that runs from dist may still have files to load.
  for (const stamp of [STAMP, LISTS_STAMP]) rmSync(stamp, { force: true });
  await compile();
  removeOrphans();
  writeBuildInfo();
  mkdirSync(path.dirname(STAMP), { recursive: true });
  writeFileSync(STAMP, state);
  return true;
}

/** Compiles the filter lists, unless that was done since the programs were built. */
async function buildFilterLists() {
  if (existsSync(LISTS_STAMP)) return false;
  await compileFilterLists();
  writeFileSync(LISTS_STAMP, '');
  return true;
}

async function compile() {
  const compiler = path.join(root, 'apps/launcher/src/compile.mjs');
  const { code, stdout, stderr } = await run(tied(process.execPath, [compiler, 'dist']), {
    cwd: root,
    input: sourceFiles().join('\n'),
  });
  if (code !== 0) throw new StartError(`The build failed.\n${(stdout + stderr).trim()}`);
}

/**
 * Bundles the applications of the build, unless they are. An application of `npm start` begins as its bundle, because Node
 * takes longer to load its 3,000 modules one by one than for the rest of its start.
 *
 * @throws StartError with the output of the bundler
 */
export async function bundleApps() {
  const state = buildStamp() ?? '';
  if (existsSync(BUNDLES_STAMP) && readFileSync(BUNDLES_STAMP, 'utf8') === state) return;
  rmSync(BUNDLES_STAMP, { force: true });
  const bundler = path.join(root, 'apps/launcher/src/bundle.mjs');
  const { code, stdout, stderr } = await run(tied(process.execPath, [bundler, BUNDLES]), { cwd: root });
  if (code !== 0) throw new StartError(`The applications could not be bundled.\n${(stdout + stderr).trim()}`);
  for (const file of filesBelow(BUNDLES).map((name) => path.join(root, name)))
    if (Date.now() - statSync(file).mtimeMs > KEEP_CHUNKS_MS) rmSync(file);
  writeFileSync(BUNDLES_STAMP, state);
}

/** Compiles the filter lists into dist/filter-lists, unless these lists are there. */
async function compileFilterLists() {
  const ruleSets = await runTask('fetch-rule-sets', { env: process.env });
  const { code, stdout, stderr } = await run(
    tied(node24(), [path.join(root, 'dist/scripts/filter-lists.js'), ruleSets]),
  );
  if (code !== 0)
    throw new StartError(`The filter lists could not be compiled.\n${(stdout + stderr).trim()}`);
}

/** Writes what `GET /v1/version` answers. An image is built without the history: GIT_COMMIT names its commit. */
function writeBuildInfo() {
  const git = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  const commit = process.env.GIT_COMMIT || (git.status === 0 ? git.stdout.trim() : null);
  // Set for builds that are the same at any time, such as the time of the commit (reproducible-builds.org).
  const { SOURCE_DATE_EPOCH: epoch } = process.env;
  const builtAt = epoch ? new Date(Number(epoch) * 1_000) : new Date();
  const info = { commit, built_at: builtAt.toISOString() };
  writeFileSync(path.join(root, 'dist/build-info.json'), `${JSON.stringify(info)}\n`);
}

/** @param {string} file */
const isSource = (file) => file.endsWith('.ts') && !isTest(file) && !file.startsWith(CONSOLE);

function sourceFiles() {
  return SOURCES.flatMap((folder) => filesBelow(folder))
    .filter(isSource)
    .sort();
}

/** Removes compiled files whose source is gone: an import of them would still succeed. */
function removeOrphans() {
  const sources = new Set(sourceFiles());
  for (const file of SOURCES.flatMap((folder) => filesBelow(path.join('dist', folder)))) {
    const source = path.relative('dist', file).replace(/\.js(\.map)?$/, '.ts');
    if (source.endsWith('.ts') && !sources.has(source)) rmSync(path.join(root, file), { force: true });
  }
}
