import { execFileSync, spawn } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** @import { ChildProcess, SpawnOptions } from 'node:child_process' */

/**
 * @typedef {object} Command
 * @property {string} command
 * @property {string[]} args
 */

/**
 * Identifies a process, and distinguishes it from a later one with the same pid.
 *
 * @typedef {object} ProcessId
 * @property {number} pid
 * @property {string | undefined} beginning See `beginningOf`.
 */

const WATCH_EVERY_MS = 250;
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/**
 * Finds the first of `names` that is an executable file in one of the folders of PATH.
 *
 * @param {string | string[]} names
 */
export function onPath(names, searchPath = process.env.PATH ?? '') {
  const folders = searchPath.split(path.delimiter).filter(Boolean);
  for (const name of [names].flat()) {
    const found = folders.map((folder) => path.join(folder, name)).find(isExecutable);
    if (found) return found;
  }
  return undefined;
}

/**
 * Finds a tool of the system, also where PATH lacks its folder: the PATH of services and of ordinary users often lacks
 * the sbin ones. Browsers are looked up on PATH alone, so that a PATH without them hides them.
 *
 * @param {string} name
 */
export function systemTool(name) {
  return onPath(name, [process.env.PATH ?? '', ...SYSTEM_FOLDERS].join(path.delimiter));
}

/** @param {string} file */
export function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Makes a command end with this process, however this one ends: on Linux the kernel sends it `signal` even when the
 * launcher was killed with -9. Elsewhere the next start ends such orphans.
 *
 * @param {string} command
 * @param {string[]} args
 * @returns {Command}
 */
export function tied(command, args, signal = 'TERM') {
  const setpriv = process.platform === 'linux' ? systemTool('setpriv') : undefined;
  return setpriv
    ? { command: setpriv, args: ['--pdeathsig', signal, '--', command, ...args] }
    : { command, args };
}

/**
 * Makes a command run as another user than root, for programs that refuse root: inside a user namespace root looks like
 * `nobody`, and the files stay root's. `tied` goes inside it, because the death signal does not survive the change of user.
 *
 * @param {Command} command
 * @returns {Command}
 */
export function asNobody({ command, args }) {
  if (process.getuid?.() !== 0) return { command, args };
  return {
    command: systemTool('unshare') ?? 'unshare',
    args: ['--user', '--map-user=65534', '--map-group=65534', '--', command, ...args],
  };
}

/**
 * Calls `act` once the npm that runs this process has died: a killed npm passes no signal on, and its child gets another
 * parent. Without npm a new parent means nothing: a service in the background outlives its shell.
 *
 * @param {() => void} act
 */
export function whenOrphaned(act) {
  if (!process.env.npm_execpath) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    act();
  }, WATCH_EVERY_MS);
  timer.unref();
}

/**
 * Runs a command to its end. Resolves to its exit code and output, also when it cannot be started: then the code is null.
 *
 * @param {Command} command
 * @param {SpawnOptions & { timeoutMs?: number, input?: string }} [options]
 * @returns {Promise<{ code: number | null, stdout: string, stderr: string }>}
 */
export function run({ command, args }, { timeoutMs, input, ...options } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    const timer = timeoutMs && setTimeout(() => endGroup(child, 'SIGKILL'), timeoutMs);
    child.stdout.setEncoding('utf8').on('data', (text) => (output.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (output.stderr += text));
    child.stdin.on('error', () => {}).end(input);
    child.on('error', (error) => {
      clearTimeout(timer);
      resolve({ ...output, code: null, stderr: error.message });
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ ...output, code });
    });
  });
}

/**
 * Signals a child that was started `detached`, with all processes of its group.
 *
 * @param {ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
function endGroup(child, signal) {
  try {
    process.kill(-Number(child.pid), signal);
  } catch {
    child.kill(signal);
  }
}

/**
 * Ends a child: `signal` first, then SIGKILL to its whole group once `graceMs` are over or `hurry` aborts.
 *
 * @param {ChildProcess} child
 * @param {{ signal: NodeJS.Signals, graceMs: number, hurry?: AbortSignal }} options
 * @returns {Promise<void>}
 */
export function end(child, { signal, graceMs, hurry }) {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
    return Promise.resolve();
  return new Promise((resolve) => {
    const kill = () => endGroup(child, 'SIGKILL');
    const timer = setTimeout(kill, graceMs);
    hurry?.addEventListener('abort', kill, { once: true });
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill(signal);
    if (hurry?.aborted) kill();
  });
}

/**
 * Distinguishes a process from a later one with the same pid, by the moment at which it began. Undefined when there is no
 * such process.
 *
 * @param {number} pid
 */
export function beginningOf(pid) {
  try {
    if (process.platform !== 'linux')
      return (
        execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined
      );
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold spaces; the fields after it do not (proc_pid_stat(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, threads] = [fields[0], Number(fields[17])];
    // A leader that is a zombie holds its ports until its last thread has ended.
    return state === 'Z' && threads <= 1 ? undefined : `${bootId()} ${fields[19]}`;
  } catch {
    return undefined;
  }
}

// The kernel counts the beginning of a process from the boot.
const bootId = () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

/**
 * Whether the process still runs.
 *
 * @param {ProcessId} process
 */
export const isAlive = ({ pid, beginning }) => beginning !== undefined && beginningOf(pid) === beginning;

/**
 * Ends a process that is not a child of this one: `signal` first, then SIGKILL once `graceMs` are over.
 *
 * @param {ProcessId} stranger
 * @param {NodeJS.Signals} signal
 * @param {number} graceMs
 */
export async function endStranger(stranger, signal, graceMs) {
  const deadline = Date.now() + graceMs;
  if (isAlive(stranger)) signalStranger(stranger.pid, signal);
  while (isAlive(stranger)) {
    if (Date.now() > deadline) signalStranger(stranger.pid, 'SIGKILL');
    await pause(20);
  }
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
function signalStranger(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

/**
 * The code of an error of the system, such as ENOENT.
 *
 * @param {unknown} error
 */
export const codeOf = (error) =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

/**
 * Resolves after so many ms, or once `signal` aborts.
 *
 * @param {number} ms
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
export const pause = (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {});
