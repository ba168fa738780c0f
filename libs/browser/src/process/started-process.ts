import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { StartupError, withTimeout } from '@app/kernel';
import { lowerPriority } from '../launch/lower-priority.js';

/** A killed process ends at once unless the kernel blocks it in a read, for which its slot does not wait. */
const KILL_TIMEOUT_MS = 2_000;
/** How much of the browser's output is kept, for the error when it does not start. */
const MAX_OUTPUT_CHARS = 2_000;

/** A program, its arguments, its whole environment and its priority. */
export interface BrowserCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** 0 to 19: how much lower its priority is than that of the worker. */
  readonly niceness: number;
}

/** The browser did not start; the message contains its output. */
export class BrowserStartError extends StartupError {
  override readonly name = 'BrowserStartError';
}

/** The program of a browser, as the system sees it: the leader of the process group of all that it starts. */
export interface StartedProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly gone: AbortSignal;
  /** The end of the output; to be called when the process has ended. */
  readonly output: () => Promise<string>;
}

/**
 * Starts a browser, of which nothing is known but that it runs.
 *
 * @throws BrowserStartError when it cannot be run
 */
export async function startProcess({ file, args, env, niceness }: BrowserCommand): Promise<StartedProcess> {
  // `detached` makes it the leader of a process group, which `kill` ends as a whole.
  const child = spawn(file, args, {
    detached: true,
    env: { ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.on('error', (cause) => reject(new BrowserStartError(`${file} cannot be run`, { cause })));
  });
  const { pid } = child;
  if (pid === undefined) throw new BrowserStartError(`${file} has no process id`);
  void lowerPriority(pid, niceness);
  const ended = new AbortController();
  child.once('exit', () => ended.abort(new Error('The process of the browser ended.')));
  return { child, pid, gone: ended.signal, output: keepOutput(child) };
}

function keepOutput(child: ChildProcess): () => Promise<string> {
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-MAX_OUTPUT_CHARS);
  });
  // The last output may arrive after the process has ended.
  const printed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return async () => {
    await withTimeout(printed, KILL_TIMEOUT_MS, 'reading what the browser printed').catch(() => undefined);
    return text.trim();
  };
}

/** What is said of a browser that has ended instead of answering. */
export function startFailure({ file, args }: BrowserCommand, output: string): string {
  // With a wrapper the browser is its last argument that is a path.
  const browser = [file, ...args].findLast((part) => path.isAbsolute(part)) ?? file;
  return `The browser did not start (${browser}). Its output: ${output === '' ? 'none' : output}`;
}

/**
 * Kills the whole process group, and resolves when its leader has ended. The others have got the signal, too; their new
 * parent may reap them later.
 */
export async function killGroup(pid: number, gone: AbortSignal): Promise<void> {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is empty.
  }
  if (gone.aborted) return;
  await withTimeout(once(gone, 'abort'), KILL_TIMEOUT_MS, 'killing the browser').catch(() => undefined);
}
