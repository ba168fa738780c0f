import { spawn } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { root } from './data-folder.mjs';
import { npmCommand } from './fetched-package.mjs';
import { say, StartError } from './output.mjs';
import { provideNode24 } from './runtime.mjs';

// What everything else runs on: the packages of npm, and Node 24. Node 20.19 must be able to run this file.
//
// The packages are of two sets. `service` is what builds and runs the service: the dependencies of the checkout, of the
// launcher and of the console, which are its workspaces. `everything` has the development dependencies besides, which only
// tests, checks and measurements need: half of all packages, for which `npm start` does not wait.

/** @typedef {'service' | 'everything'} PackageSet */

const PROGRESS_EVERY_MS = 10_000;

/**
 * Installs the packages that are missing, and fetches Node 24 where it is needed.
 *
 * @param {PackageSet} set
 * @throws StartError when that fails
 */
export async function provide(set) {
  await Promise.all([provideNode24(), needsInstall(set) && install(set)]);
}

/**
 * Whether node_modules lacks what package-lock.json asks for. npm writes node_modules/.package-lock.json last, so an
 * interrupted installation counts as none.
 *
 * @param {PackageSet} set
 */
export function needsInstall(set, folder = root) {
  return isOutOfDate(folder) || !hasPackages(set, folder);
}

/** @param {string} folder */
function isOutOfDate(folder) {
  const installed = modifiedAt(path.join(folder, 'node_modules/.package-lock.json'));
  return installed === undefined || installed < (modifiedAt(path.join(folder, 'package-lock.json')) ?? 0);
}

/** @param {string} file */
const modifiedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs;

/**
 * Whether each package that a manifest of the set names is there.
 *
 * @param {PackageSet} set
 * @param {string} folder
 */
function hasPackages(set, folder) {
  const manifest = readManifest(folder);
  const others = (manifest.workspaces ?? []).map((workspace) => readManifest(path.join(folder, workspace)));
  const manifests = [manifest, ...others];
  const needed = manifests.flatMap(({ dependencies, devDependencies }) =>
    Object.keys({ ...dependencies, ...(set === 'everything' && devDependencies) }),
  );
  return needed.every((name) => existsSync(path.join(folder, 'node_modules', name)));
}

/**
 * @param {string} folder
 * @returns {{ workspaces?: string[], dependencies?: Record<string, string>, devDependencies?: Record<string, string> }}
 */
const readManifest = (folder) => JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));

/**
 * The arguments of npm that bring the packages of the set. `npm ci` begins by removing all packages, so what only adds the
 * development dependencies is `npm install`: a service that runs from this checkout keeps its packages. A checkout that
 * has them keeps them when its lock file changes.
 *
 * @param {PackageSet} set
 */
export function installFlags(set, folder = root) {
  if (!needsInstall('service', folder)) return ['install', '--no-save', '--include=dev'];
  // NODE_ENV=production leaves out development dependencies, unless a flag includes them.
  return ['ci', set === 'everything' || hasDevelopment(folder) ? '--include=dev' : '--omit=dev'];
}

/**
 * Whether development dependencies were installed.
 *
 * @param {string} folder
 */
function hasDevelopment(folder) {
  const file = path.join(folder, 'node_modules/.package-lock.json');
  if (!existsSync(file)) return false;
  /** @type {{ packages: Record<string, { dev?: boolean }> }} */
  const { packages } = JSON.parse(readFileSync(file, 'utf8'));
  return Object.values(packages).some(({ dev }) => dev);
}

/**
 * Runs npm, and reports its progress every few seconds.
 *
 * @param {PackageSet} set
 */
async function install(set) {
  if (lstatSync(path.join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new StartError(
      'node_modules is a link, and npm ci would empty the folder that it leads to. Remove the link.',
    );
  }
  const began = Date.now();
  const seconds = () => Math.round((Date.now() - began) / 1_000);
  const flags = installFlags(set);
  say(`installing packages (npm ${flags.join(' ')})`);
  const progress = setInterval(() => say(`installing packages: ${seconds()} s`), PROGRESS_EVERY_MS);
  const code = await npm(flags).finally(() => clearInterval(progress));
  if (code !== 0) throw new StartError(`npm ${flags[0]} failed (${code}); the reason is printed above.`);
  say(`packages installed in ${seconds()} s`);
}

/**
 * @param {string[]} flags
 * @returns {Promise<unknown>} its exit code, else the reason why it has none
 */
function npm(flags) {
  const { command, args } = npmCommand([...flags, '--no-audit', '--no-fund', '--loglevel=error']);
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(code ?? signal));
  });
}
