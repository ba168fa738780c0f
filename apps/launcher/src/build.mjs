import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './data-folder.mjs';
import { StartError } from './output.mjs';
import { run, tied } from './processes.mjs';
import { node24 } from './runtime.mjs';

const SOURCES = ['apps', 'libs', 'scripts', 'bench', 'test/support'].filter((folder) =>
  existsSync(path.join(root, folder)),
);
const SETTINGS = ['.swcrc', 'package-lock.json', 'libs/filters/lists/chats.txt'];
const TESTS = ['**/*.spec.ts', '**/*.int-spec.ts'];

const STAMP = path.join(root, 'dist/.built');

/** Identifies the build. Undefined when there is no finished build. */
export function buildStamp() {
  return existsSync(STAMP) ? readFileSync(STAMP, 'utf8') : undefined;
}

/**
 * Compiles the sources into dist with SWC, unless nothing has changed since the last build. It does not check types:
 * that is `npm run check`. Resolves to whether it compiled.
 *
 * @throws StartError with the output of the compiler
 */
export async function build({ force = false } = {}) {
  const state = fingerprint();
  if (!force && buildStamp() === state) return false;
  // The old build is overwritten, not wiped first: a service that runs from dist may still have files to load.
  rmSync(STAMP, { force: true });
  await compile();
  removeOrphans();
  await compileFilterLists();
  writeBuildInfo();
  mkdirSync(path.dirname(STAMP), { recursive: true });
  writeFileSync(STAMP, state);
  return true;
}

async function compile() {
  const swc = path.join(root, 'node_modules/@swc/cli/bin/swc.js');
  const flags = ['-d', 'dist', '--extensions', '.ts', ...TESTS.flatMap((tests) => ['--ignore', tests]), '-q'];
  const { code, stdout, stderr } = await run(tied(process.execPath, [swc, ...SOURCES, ...flags]), {
    cwd: root,
  });
  if (code !== 0) throw new StartError(`The build failed.\n${(stdout + stderr).trim()}`);
}

/** Compiles the filter lists into dist/filter-lists, unless these lists are there. */
async function compileFilterLists() {
  const { code, stdout, stderr } = await run(
    tied(node24(), [path.join(root, 'dist/scripts/filter-lists.js')]),
  );
  if (code !== 0)
    throw new StartError(`The filter lists could not be compiled.\n${(stdout + stderr).trim()}`);
}

/** Writes what `GET /v1/version` answers. An image is built without the history: GIT_COMMIT names its commit. */
function writeBuildInfo() {
  const git = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  const commit = process.env.GIT_COMMIT || (git.status === 0 ? git.stdout.trim() : null);
  const info = { commit, built_at: new Date().toISOString() };
  writeFileSync(path.join(root, 'dist/build-info.json'), `${JSON.stringify(info)}\n`);
}

/** Compares by time and size, as make does: reading every file would take longer than the rest of a warm start. */
function fingerprint() {
  const hash = createHash('sha256');
  for (const file of [...SETTINGS, ...sourceFiles()]) {
    const { mtimeMs, size } = statSync(path.join(root, file));
    hash.update(`${file}\0${mtimeMs}\0${size}\n`);
  }
  return hash.digest('hex');
}

/** @param {string} file */
const isSource = (file) => file.endsWith('.ts') && !/\.(int-)?spec\.ts$/.test(file);

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

/** @param {string} folder */
function filesBelow(folder) {
  const absolute = path.join(root, folder);
  if (!existsSync(absolute)) return [];
  return readdirSync(absolute, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
}
