import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StartError } from './output.mjs';
import { root } from './paths.mjs';
import { run, tied } from './processes.mjs';

const SOURCES = ['apps', 'libs', 'scripts', 'bench', 'test/support'].filter((folder) =>
  existsSync(path.join(root, folder)),
);
const SETTINGS = ['.swcrc', 'package-lock.json'];
const TESTS = ['**/*.spec.ts', '**/*.int-spec.ts'];

const STAMP = path.join(root, 'dist/.built');

/** Tells one build from another; undefined when there is none, or one that `build` did not finish. */
export function buildStamp() {
  return existsSync(STAMP) ? readFileSync(STAMP, 'utf8') : undefined;
}

/**
 * Compiles the sources into dist with SWC, unless nothing changed since it last did. Types are not checked here: that
 * is `npm run check`. Returns whether there was anything to do.
 *
 * @throws StartError with the compiler's words.
 */
export async function build({ force = false } = {}) {
  const state = fingerprint();
  if (!force && buildStamp() === state) return false;
  // Written over rather than wiped first: a service that runs from dist may still have files to load.
  rmSync(STAMP, { force: true });
  await compile();
  removeOrphans();
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

// What `GET /v1/version` says. An image is built without the history, and is told its commit.
function writeBuildInfo() {
  const git = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  const commit = process.env.GIT_COMMIT || (git.status === 0 ? git.stdout.trim() : null);
  const info = { commit, built_at: new Date().toISOString() };
  writeFileSync(path.join(root, 'dist/build-info.json'), `${JSON.stringify(info)}\n`);
}

// By time and size, as make does: reading every file would cost a start more than all else.
function fingerprint() {
  const hash = createHash('sha256');
  for (const file of [...SETTINGS, ...sourceFiles()]) {
    const { mtimeMs, size } = statSync(path.join(root, file));
    hash.update(`${file}\0${mtimeMs}\0${size}\n`);
  }
  return hash.digest('hex');
}

const isSource = (file) => file.endsWith('.ts') && !/\.(int-)?spec\.ts$/.test(file);

function sourceFiles() {
  return SOURCES.flatMap((folder) => filesBelow(folder))
    .filter(isSource)
    .sort();
}

// A file whose source is gone would still be found by an import that should fail.
function removeOrphans() {
  const sources = new Set(sourceFiles());
  for (const file of SOURCES.flatMap((folder) => filesBelow(path.join('dist', folder)))) {
    const source = path.relative('dist', file).replace(/\.js(\.map)?$/, '.ts');
    if (source.endsWith('.ts') && !sources.has(source)) rmSync(path.join(root, file), { force: true });
  }
}

function filesBelow(folder) {
  const absolute = path.join(root, folder);
  if (!existsSync(absolute)) return [];
  return readdirSync(absolute, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)));
}
