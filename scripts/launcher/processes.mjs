import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemTool } from './paths.mjs';

const WATCH_EVERY_MS = 250;

/**
 * A command that ends with this process, however this one ends: on Linux the kernel sends it `signal` even when the
 * launcher was killed with -9. Elsewhere the next start clears such orphans away.
 */
export function tied(command, args, signal = 'TERM') {
  const setpriv = process.platform === 'linux' ? systemTool('setpriv') : undefined;
  return setpriv
    ? { command: setpriv, args: ['--pdeathsig', signal, '--', command, ...args] }
    : { command, args };
}

/**
 * A command as another user than root, for programs that refuse root: inside a user namespace root looks like `nobody`
 * and the files stay root's. Put `tied` inside it, the death signal does not survive the change of user.
 */
export function asNobody({ command, args }) {
  if (process.getuid?.() !== 0) return { command, args };
  return {
    command: systemTool('unshare') ?? 'unshare',
    args: ['--user', '--map-user=65534', '--map-group=65534', '--', command, ...args],
  };
}

/**
 * Calls `act` when the npm that runs this process is gone: killed, it passes nothing on, and its child goes to another
 * parent. Without npm that means nothing: a service put into the background outlives its shell.
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

/** Runs a command to its end; resolves to its exit code and output, also when it cannot be started. */
export function run({ command, args }, { timeoutMs, input, ...options } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], ...options });
    const result = { code: null, stdout: '', stderr: '' };
    const timer = timeoutMs && setTimeout(() => endGroup(child, 'SIGKILL'), timeoutMs);
    child.stdout?.setEncoding('utf8').on('data', (text) => (result.stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text) => (result.stderr += text));
    child.stdin?.on('error', () => {}).end(input);
    child.on('error', (error) => {
      clearTimeout(timer);
      resolve({ ...result, stderr: error.message });
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ ...result, code });
    });
  });
}

/** Signals a child that was started `detached`, with all it started. */
export function endGroup(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    child.kill(signal);
  }
}

/** Ends a child: `signal` first, SIGKILL to its whole group when `graceMs` are over or `hurry` aborts. */
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
 * What tells a process from a later one with the same pid: the moment it began. Undefined when there is no such process.
 */
export function beginningOf(pid) {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The name in parentheses may hold spaces; the fields after it do not (proc_pid_stat(5)).
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const [state, threads] = [fields[0], Number(fields[17])];
      // A leader that is a zombie holds its ports for as long as another of its threads has not ended.
      return state === 'Z' && threads <= 1 ? undefined : `${bootId()} ${fields[19]}`;
    }
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}

// The kernel counts a process's beginning from the boot.
const bootId = () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

/** Ends a process that is not our child, known by its pid and beginning. */
export async function endStranger({ pid, beginning }, signal, graceMs) {
  const lives = () => beginning !== undefined && beginningOf(pid) === beginning;
  const deadline = Date.now() + graceMs;
  if (lives()) signalStranger(pid, signal);
  while (lives()) {
    if (Date.now() > deadline) signalStranger(pid, 'SIGKILL');
    await pause(20);
  }
}

function signalStranger(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** Resolves after so many ms, or when `signal` aborts. */
export const pause = (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {});
