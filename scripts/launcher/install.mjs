import { spawn } from 'node:child_process';
import { lstatSync, statSync } from 'node:fs';
import path from 'node:path';
import { npmCommand } from './npm.mjs';
import { say, StartError } from './output.mjs';
import { root } from './paths.mjs';

const PROGRESS_EVERY_MS = 10_000;

/**
 * Whether node_modules lacks what package-lock.json asks for. npm writes node_modules/.package-lock.json last, so an
 * interrupted installation counts as none.
 */
export function needsInstall(folder = root) {
  const installed = modified(path.join(folder, 'node_modules/.package-lock.json'));
  return installed === undefined || installed < modified(path.join(folder, 'package-lock.json'));
}

function modified(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

/** Runs `npm ci`, telling from time to time that it still works. */
export async function install() {
  if (lstatSync(path.join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new StartError(
      'node_modules is a link; npm ci would empty the folder it leads to. Remove the link.',
    );
  }
  const began = Date.now();
  const seconds = () => Math.round((Date.now() - began) / 1_000);
  say('installing packages (npm ci), about a minute');
  const progress = setInterval(() => say(`installing packages: ${seconds()} s`), PROGRESS_EVERY_MS);
  const code = await npmCi().finally(() => clearInterval(progress));
  if (code !== 0) throw new StartError(`npm ci failed (${code}); what it printed above says why.`);
  say(`packages installed in ${seconds()} s`);
}

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
