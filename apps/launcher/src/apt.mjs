import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { draftFolder } from './data-folder.mjs';
import { run, systemTool, tied } from './processes.mjs';

const TIMEOUT_MS = 120_000;

/** Whether this is a Debian or Ubuntu, whose packages can be fetched. */
export const hasApt = () => Boolean(systemTool('apt-get') && systemTool('dpkg-deb'));

/**
 * Fetches packages of the distribution and unpacks them into `into`, without root and without installing anything: apt
 * works on lists and a cache in a folder of the launcher, and checks signatures as always.
 *
 * @param {{ packages: string[], into: string, withDependencies?: boolean }} options
 * @throws an Error with the last line that apt printed
 */
export async function unpackPackages({ packages, into, withDependencies = false }) {
  const draft = draftFolder(into);
  const folder = path.join(draft, '.apt');
  const apt = aptIn(folder);
  try {
    // One broken source must not stop the others; a package that is missing because of it fails below.
    await apt('update').catch(() => {});
    const names = withDependencies ? await missingWith(apt, packages) : packages;
    await apt('download', ...names);
    for (const file of debsIn(folder)) {
      await must('dpkg-deb', ['-x', path.join(folder, file), draft]);
    }
    rmSync(folder, { recursive: true, force: true });
    rmSync(into, { recursive: true, force: true });
    renameSync(draft, into);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * A program of a package, which is fetched and unpacked into `into` the first time, with the variables that it needs to find
 * its libraries there. Resolves to undefined where there is no apt, and where the package cannot be fetched.
 *
 * @param {{ packages: string[], file: string, into: string, withDependencies?: boolean }} options `file` is its path in `into`.
 */
export async function provideTool({ file, ...options }) {
  const { into } = options;
  if (!existsSync(into)) {
    if (!hasApt()) return undefined;
    try {
      await unpackPackages(options);
    } catch {
      return undefined;
    }
  }
  const libraries = libraryFolders(path.join(into, 'usr/lib'));
  return { path: path.join(into, file), env: { LD_LIBRARY_PATH: libraries.join(':') } };
}

/** @param {string} folder */
function libraryFolders(folder) {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const libraries = files.filter((file) => /\.so(\.|$)/.test(file));
  return [...new Set(libraries.map((file) => path.dirname(path.join(folder, file))))];
}

/** @param {string} folder */
const debsIn = (folder) => readdirSync(folder).filter((file) => file.endsWith('.deb'));

/** @typedef {(...args: string[]) => Promise<string>} Apt */

/**
 * @param {string} folder
 * @returns {Apt}
 */
function aptIn(folder) {
  for (const part of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(path.join(folder, part), { recursive: true });
  const settings = {
    'Dir::State::lists': path.join(folder, 'lists'),
    'Dir::Cache': path.join(folder, 'cache'),
    'Debug::NoLocking': '1',
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '0',
    'Acquire::http::Timeout': '15',
    'Acquire::https::Timeout': '15',
  };
  const flags = ['-qq', ...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])];
  return (...args) => must('apt-get', [...flags, ...args], folder);
}

/**
 * What apt would install on this machine: the packages, and those of their dependencies that are missing.
 *
 * @param {Apt} apt
 * @param {string[]} packages
 */
async function missingWith(apt, packages) {
  const plan = await apt('--no-install-recommends', '--print-uris', '-y', 'install', ...packages);
  return [...plan.matchAll(/^'[^']+' ([^_\s]+)_/gm)].map(([, name = '']) => name);
}

/**
 * Runs a tool of the system; resolves to what it printed.
 *
 * @param {string} tool
 * @param {string[]} args
 * @param {string} [cwd]
 */
async function must(tool, args, cwd) {
  const { code, stdout, stderr } = await run(tied(systemTool(tool) ?? tool, args), {
    cwd,
    timeoutMs: TIMEOUT_MS,
    detached: true,
  });
  if (code !== 0) throw new Error(`${tool}: ${stderr.trim().split('\n').at(-1) ?? `exit code ${code}`}`);
  return stdout;
}
