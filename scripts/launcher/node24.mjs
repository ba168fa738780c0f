import { spawn } from 'node:child_process';
import path from 'node:path';
import { StartError } from './output.mjs';
import { isExecutable, root } from './paths.mjs';
import { tied, whenOrphaned } from './processes.mjs';

const NEEDED = 24;

/** Whether this process runs on the Node that the service is built for. */
export const isNode24 = (version = process.versions.node) => Number.parseInt(version, 10) >= NEEDED;

/**
 * The Node to run everything else with: this one when it is new enough, else the one that npm installed. That is looked
 * up by its package's path: npm 10 installs the package without linking it into node_modules/.bin.
 */
export function node24() {
  if (isNode24()) return process.execPath;
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const binary = process.platform === 'win32' ? 'node.exe' : 'node';
  const bundled = path.join(root, `node_modules/node-${system}-${process.arch}/bin`, binary);
  if (isExecutable(bundled)) return bundled;
  throw new StartError(
    `Node ${NEEDED} or newer is needed and this is ${process.version}; npm carries one for Linux and Windows only.\n` +
      'Install it from https://nodejs.org and start again.',
  );
}

/** Runs `args` on Node 24 in place of this process: same terminal, signals passed on, same exit code. Resolves to its signal. */
export function handOver(args) {
  const successor = tied(node24(), args);
  const child = spawn(successor.command, successor.args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  whenOrphaned(() => child.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1);
      resolve(signal);
    });
  });
}
