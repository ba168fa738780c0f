import { spawn } from 'node:child_process';
import { lstatSync, statSync } from 'node:fs';
import path from 'node:path';
import { root } from './data-folder.mjs';
import { say, StartError } from './output.mjs';
import { isExecutable, tied, whenOrphaned } from './processes.mjs';

// What everything else runs on: the packages of npm, and Node 24. Node 20.19 must be able to run this file.

/** @import { Command } from './processes.mjs' */

const PROGRESS_EVERY_MS = 10_000;
const NODE_MAJOR = 24;

/** Flags of Node for the built programs: the traces of their errors name lines of TypeScript. */
export const SOURCE_MAPS = ['--import', path.join(root, 'apps/launcher/src/source-maps.mjs')];

/**
 * Whether node_modules lacks what package-lock.json asks for. npm writes node_modules/.package-lock.json last, so an
 * interrupted installation counts as none.
 */
export function needsInstall(folder = root) {
  const installed = modifiedAt(path.join(folder, 'node_modules/.package-lock.json'));
  return installed === undefined || installed < (modifiedAt(path.join(folder, 'package-lock.json')) ?? 0);
}

/** @param {string} file */
const modifiedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs;

/**
 * Runs `npm ci`, and reports its progress every few seconds.
 *
 * @throws StartError when it fails
 */
export async function install() {
  if (lstatSync(path.join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new StartError(
      'node_modules is a link, and npm ci would empty the folder that it leads to. Remove the link.',
    );
  }
  const began = Date.now();
  const seconds = () => Math.round((Date.now() - began) / 1_000);
  say('installing packages (npm ci), about a minute');
  const progress = setInterval(() => say(`installing packages: ${seconds()} s`), PROGRESS_EVERY_MS);
  const code = await npmCi().finally(() => clearInterval(progress));
  if (code !== 0) throw new StartError(`npm ci failed (${code}); the reason is printed above.`);
  say(`packages installed in ${seconds()} s`);
}

/** @returns {Promise<unknown>} its exit code, else the reason why it has none */
function npmCi() {
  // The build tools are development dependencies: without `--include=dev` NODE_ENV=production leaves them out.
  const flags = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const { command, args } = npmCommand(flags);
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(code ?? signal));
  });
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

/** Whether this process runs on the Node that the service is built for. */
export const isNode24 = (version = process.versions.node) => Number.parseInt(version, 10) >= NODE_MAJOR;

/**
 * The Node that runs everything else: this one when it is new enough, else the one that npm installed. That one is found
 * by the path of its package, because npm 10 does not link it into node_modules/.bin.
 */
export function node24() {
  if (isNode24()) return process.execPath;
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const binary = process.platform === 'win32' ? 'node.exe' : 'node';
  const bundled = path.join(root, `node_modules/node-${system}-${process.arch}/bin`, binary);
  if (isExecutable(bundled)) return bundled;
  throw new StartError(
    `Node ${NODE_MAJOR} or newer is required and this is ${process.version}; npm carries one for Linux and Windows only.\n` +
      'Install it from https://nodejs.org and start again.',
  );
}

/**
 * Runs `args` on Node 24 in place of this process: same terminal, same exit code, signals passed on. Resolves to the
 * signal that ended it, or null.
 *
 * @param {string[]} args
 * @returns {Promise<NodeJS.Signals | null>}
 */
export function handOver(args) {
  const successor = tied(node24(), args);
  const child = spawn(successor.command, successor.args, { stdio: 'inherit' });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => child.kill(signal));
  whenOrphaned(() => child.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1);
      resolve(signal);
    });
  });
}
