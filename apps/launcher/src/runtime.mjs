import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { root } from './data-folder.mjs';
import { fetchedFolder, pinnedVersion, provideFetched } from './fetched-package.mjs';
import { say, StartError } from './output.mjs';
import { isExecutable, tied, whenOrphaned } from './processes.mjs';

// The Node that everything else runs on. Node 20.19 must be able to run this file.

const NODE_MAJOR = 24;

/** Flags of Node for the built programs: the traces of their errors name lines of TypeScript. */
export const SOURCE_MAPS = ['--import', path.join(root, 'apps/launcher/src/source-maps.mjs')];

/** Whether this process runs on the Node that the service is built for. */
export const isNode24 = (version = process.versions.node) => Number.parseInt(version, 10) >= NODE_MAJOR;

const BINARY = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node';

/** The package that contains Node 24 for this machine. */
const nodePackage = () => `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/** Fetches Node 24, unless this is one or it is there; of its package only the program, as the headers take as much. */
export async function provideNode24() {
  const name = nodePackage();
  if (isNode24() || pinnedVersion(name) === undefined || existsSync(fetchedFolder(name))) return;
  say(`fetching Node ${pinnedVersion(name)}, as this is ${process.version}`);
  await provideFetched({ name, needs: (file) => [BINARY, 'LICENSE', 'package.json'].includes(file) });
}

/** The Node that runs everything else: this one when it is new enough, else the one that was fetched. */
export function node24() {
  if (isNode24()) return process.execPath;
  const name = nodePackage();
  const fetched = pinnedVersion(name) && path.join(fetchedFolder(name), BINARY);
  if (fetched && isExecutable(fetched)) return fetched;
  throw new StartError(
    `Node ${NODE_MAJOR} or newer is required and this is ${process.version}; ` +
      (fetched
        ? '`npm start` fetches one.'
        : `npm has one for Linux and Windows only.\nInstall it from https://nodejs.org and start again.`),
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
