import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';

const PREFIX = 'capture-browsers';
/** Prefix, host, process id, start of the process, mkdtemp's six letters. */
const NAME = new RegExp(`^${PREFIX}\\.(?<host>.+)\\.(?<pid>\\d+)\\.(?<start>\\d+)\\.\\w{6}$`);
/** Processes that were just killed may still write for a moment. */
const REMOVE = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 } as const;

/** Profile, home and temporary files of one browser; nothing of it outlives the browser. */
export interface BrowserFolder {
  readonly home: string;
  readonly profile: string;
  readonly temporary: string;
  /** Never rejects: what could not be removed goes with the worker's folder. */
  remove(): Promise<void>;
}

/**
 * The folder of all browsers of one worker process. Its name tells whose it is, so that a worker removes what dead ones
 * left and never what a living one uses.
 */
export class WorkerFolder {
  private constructor(readonly path: string) {}

  /** Removes the folders of dead workers of this machine, then makes a new one. */
  static async open(parent = tmpdir()): Promise<WorkerFolder> {
    await removeStale(parent);
    const start = (await startOf(process.pid)) ?? '0';
    const name = [PREFIX, hostname(), process.pid, start, ''].join('.');
    return new WorkerFolder(await mkdtemp(path.join(parent, name)));
  }

  /** Also makes the worker's folder again when a cleaner of /tmp took it. */
  async openBrowserFolder(): Promise<BrowserFolder> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    const home = await mkdtemp(path.join(this.path, 'browser-'));
    const temporary = path.join(home, 'tmp');
    await mkdir(temporary);
    return {
      home,
      temporary,
      profile: path.join(home, 'profile'),
      remove: () => rm(home, REMOVE).catch(() => undefined),
    };
  }

  async remove(): Promise<void> {
    await rm(this.path, REMOVE);
  }
}

async function removeStale(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const { host, pid, start } = NAME.exec(name)?.groups ?? {};
    if (host !== hostname() || start === undefined || (await isAlive(Number(pid), start))) continue;
    // Another user's, or another worker is at it too: neither is a reason not to start.
    await rm(path.join(parent, name), REMOVE).catch(() => undefined);
  }
}

async function isAlive(pid: number, start: string): Promise<boolean> {
  const now = await startOf(pid);
  if (now !== undefined) return now === start;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * When a process started, in clock ticks since boot: tells it from a later one with the same number. Undefined when
 * there is none, or no /proc.
 */
async function startOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name of the program, in parentheses, may hold anything; field 22 is the 20th after it (proc_pid_stat(5)).
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}
