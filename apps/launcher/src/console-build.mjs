import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { root } from './data-folder.mjs';
import { StartError } from './output.mjs';
import { run, tied } from './processes.mjs';
import { filesBelow, fingerprint, isTest } from './sources.mjs';

const SOURCES = ['apps/console', 'libs/client/src'];
const SETTINGS = ['package-lock.json', 'tsconfig.json', 'apps/launcher/src/console-build.mjs'];
const STAMP = path.join(root, 'dist/.console-built');
const ASSETS = 'dist/console/assets';
/** Fonts are compressed already. */
const COMPRESSED = /\.(js|css|svg)$/;

/**
 * Builds the pages of the console into dist/console with Vite, unless nothing has changed since the last build. Resolves to
 * whether it built.
 *
 * @throws StartError with the output of the build
 */
export async function buildConsole({ force = false } = {}) {
  const files = SOURCES.flatMap(filesBelow).filter((file) => !isTest(file));
  const state = fingerprint([...SETTINGS, ...files.sort()]);
  if (!force && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === state) return false;
  rmSync(STAMP, { force: true });
  const beganMs = Date.now();
  const vite = path.join(root, 'node_modules/vite/bin/vite.js');
  // Under the tests Vite would build the version of React for developers, and the next start would use it.
  const env = { ...process.env, NODE_ENV: 'production', NO_COLOR: '1' };
  const { code, stdout, stderr } = await run(
    tied(process.execPath, [vite, 'build', 'apps/console', '--logLevel', 'warn']),
    { cwd: root, env },
  );
  if (code !== 0) throw new StartError(`The build of the console failed.\n${(stdout + stderr).trim()}`);
  /** @param {string} file */
  const isNew = (file) => statSync(path.join(root, file)).mtimeMs >= beganMs;
  const assets = filesBelow(ASSETS).filter((file) => COMPRESSED.test(file) && isNew(file));
  await Promise.all(assets.map(compress));
  // They are not wiped first: an API that runs from dist would miss files that stay the same.
  for (const file of filesBelow(ASSETS)) if (!isNew(file)) rmSync(path.join(root, file));
  writeFileSync(STAMP, state);
  return true;
}

/**
 * Writes the compressed forms of an asset beside it, which the API serves as they are.
 *
 * @param {string} file
 */
async function compress(file) {
  const absolute = path.join(root, file);
  const bytes = await readFile(absolute);
  // The highest quality takes seconds, and saves 3 % more.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  await Promise.all([
    promisify(gzip)(bytes, { level: 9 }).then((small) => writeFile(`${absolute}.gz`, small)),
    promisify(brotliCompress)(bytes, { params }).then((small) => writeFile(`${absolute}.br`, small)),
  ]);
}
