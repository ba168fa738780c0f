import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { draftFolder, root } from './data-folder.mjs';
import { StartError } from './output.mjs';
import { run, tied } from './processes.mjs';
import { unpackTar } from './tar.mjs';

// Packages of npm of which a few files are needed, or which most machines do not need: a tenth of the lists of AdGuard's
// package, Node 24, a Chromium. They are fetched once by `npm pack`, with the registry, proxy and cache of npm, instead of
// being installed. Node 20.19 must be able to run this file.

/** @import { Command } from './processes.mjs' */

/** @typedef {{ version: string, licence: string, integrity: string }} PinnedPackage */

/** @type {Record<string, PinnedPackage>} */
const PINNED = JSON.parse(readFileSync(path.join(root, 'apps/launcher/fetched-packages.json'), 'utf8'));
/** They outlive node_modules, which `npm ci` empties. */
const FOLDER = path.join(root, '.data/packages');
const ARCHIVE_ROOT = /^[^/]+\//;

/**
 * The pinned version of a package that is fetched; undefined for one that is not.
 *
 * @param {string} name
 */
export const pinnedVersion = (name) => PINNED[name]?.version;

/**
 * The folder of a package once it was fetched.
 *
 * @param {string} name
 */
export function fetchedFolder(name) {
  return path.join(FOLDER, `${name.replace('@', '').replace('/', '-')}-${pinned(name).version}`);
}

/**
 * Fetches a package into `into`, unless it is there.
 *
 * @param {object} options
 * @param {string} options.name
 * @param {(file: string) => boolean} options.needs Which of its files are kept.
 * @param {string} [options.into]
 * @param {(draft: string) => Promise<void>} [options.finish] Changes the files before they are used.
 * @returns `into`
 * @throws StartError when npm cannot fetch it, or when it is not what was pinned
 */
export async function provideFetched({ name, needs, into = fetchedFolder(name), finish }) {
  if (existsSync(into)) return into;
  const draft = draftFolder(into);
  try {
    const archive = await download(name, draft);
    /** @type {(entry: string) => string | undefined} */
    const targetOf = (entry) => {
      const file = entry.replace(ARCHIVE_ROOT, '');
      return needs(file) && isInside(file) ? path.join(draft, file) : undefined;
    };
    await pipeline(createReadStream(archive), createGunzip(), (files) => unpackTar(files, targetOf));
    rmSync(archive);
    await finish?.(draft);
    renameSync(draft, into);
  } catch (error) {
    // Another process may have fetched it at the same moment.
    if (!existsSync(into)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return into;
}

/**
 * The command that runs npm. Inside an npm script it is the npm that runs the script, which need not be on PATH.
 *
 * @param {string[]} flags
 * @returns {Command}
 */
export function npmCommand(flags) {
  const npm = process.env.npm_execpath;
  return npm ? tied(process.execPath, [npm, ...flags]) : tied('npm', flags);
}

/**
 * Downloads the archive of a package, from the cache of npm where it is there.
 *
 * @param {string} name
 * @param {string} folder
 */
async function download(name, folder) {
  const { version, integrity } = pinned(name);
  const spec = `${name}@${version}`;
  const flags = ['pack', spec, '--pack-destination', folder, '--prefer-offline', '--loglevel=error'];
  const { code, stderr } = await run(npmCommand(flags), { cwd: root });
  const file = readdirSync(folder).find((entry) => entry.endsWith('.tgz'));
  if (code !== 0 || file === undefined)
    throw new StartError(`npm could not fetch ${spec} (${code}).\n${stderr.trim()}`);
  const archive = path.join(folder, file);
  if (!(await hasIntegrity(archive, integrity)))
    throw new StartError(`The registry sent another ${spec} than apps/launcher/fetched-packages.json pins.`);
  return archive;
}

/**
 * Whether a file has the digest of a Subresource Integrity, as package-lock.json has them.
 *
 * @param {string} file
 * @param {string} integrity
 */
export async function hasIntegrity(file, integrity) {
  const [algorithm = '', digest] = integrity.split(/-(.*)/s);
  const hash = createHash(algorithm);
  await pipeline(createReadStream(file), hash);
  return hash.digest('base64') === digest;
}

/** @param {string} name */
function pinned(name) {
  const found = PINNED[name];
  if (found === undefined) throw new Error(`fetched-packages.json has no ${name}`);
  return found;
}

/** @param {string} file */
const isInside = (file) => !path.isAbsolute(file) && !file.split(/[/\\]/).includes('..');
