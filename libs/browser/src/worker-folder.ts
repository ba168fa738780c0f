import { execFile } from 'node:child_process';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  rmdir,
  writeFile,
} from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const PREFIX = 'capture-browsers';
/** Prefix, process id, mkdtemp's six letters. */
const NAME = new RegExp(`^${PREFIX}\\.(?<pid>\\d+)\\.\\w{6}$`);
/** A file that holds the rest of what tells one process from all others: its start and its machine. */
const OWNER = 'owner';
/** Processes that were just killed may still write for a moment. */
const RETRIES = 10;
const RETRY_DELAY_MS = 100;
const REMOVE = { recursive: true, force: true, maxRetries: RETRIES, retryDelay: RETRY_DELAY_MS } as const;

const PRIVATE = 0o700;
/** Others may pass through to what is theirs, and see nothing. */
const PASSABLE = 0o711;
const MODES: readonly number[] = [PRIVATE, PASSABLE];

/** The path of a Unix socket has at most 107 bytes; full Chromium aborts when this one below its TMPDIR is longer. */
const MAX_SOCKET_PATH = 107;
const SOCKET = '/b-abcdef/t/org.chromium.Chromium.abcdef/SingletonSocket';

/** Profile, home and temporary files of one browser; nothing of it outlives the browser. */
export interface BrowserFolder {
  readonly home: string;
  readonly profile: string;
  readonly temporary: string;
  /** Never rejects: what could not be removed goes with the worker's folder. */
  remove(): Promise<void>;
}

export interface WorkerFolderPlace {
  /** Folder of the service's own data. The folder is made there if it exists, belongs to this user and is short enough. */
  readonly dataDir: string;
  /** Whether browsers run as other users, who must be able to reach what is theirs. */
  readonly passable: boolean;
}

/**
 * The folder of all browsers of one worker process. It tells whose it is, so that a worker removes what dead ones left and
 * never what a living one uses.
 *
 * Names can be forged by any user of the machine, so a folder is removed only where nobody else could have made it or
 * can change it during the removal: a real folder of this user, closed to others, in a place where others cannot replace
 * it. What belongs to a browser's own user is removed with that user's rights: a process that outlived its browser
 * could put links in the way, which must not lead further than it gets by itself.
 */
export class WorkerFolder {
  private folder: string;
  private readonly mode: number;

  private constructor(folder: string, mode: number) {
    this.folder = folder;
    this.mode = mode;
  }

  /** Removes the folders of dead workers of this machine, then makes a new one. */
  static async open({ dataDir, passable }: WorkerFolderPlace): Promise<WorkerFolder> {
    const name = `${PREFIX}.${process.pid}.`;
    const places = await Promise.all([dataDir, tmpdir()].map((folder) => examine(folder)));
    const safe = places.filter((place) => place !== undefined);
    for (const { folder } of safe) await removeStale(folder);
    const suits = safe.find(
      (place) =>
        place.folder.length + `/${name}abcdef${SOCKET}`.length <= MAX_SOCKET_PATH &&
        (place.isPassable || !passable),
    );
    const mode = passable ? PASSABLE : PRIVATE;
    return new WorkerFolder(await make(path.join(suits?.folder ?? tmpdir(), name), mode), mode);
  }

  get path(): string {
    return this.folder;
  }

  /** `uid` is the user whose folder it is, when that is not this process's. */
  async openBrowserFolder(uid?: number): Promise<BrowserFolder> {
    // A cleaner of /tmp may have taken the folder, and another user its name: then a new one is made.
    if (!(await isOwn(this.folder))) this.folder = await make(this.folder.slice(0, -6), this.mode);
    const home = await mkdtemp(path.join(this.folder, 'b-'));
    const temporary = path.join(home, 't');
    await mkdir(temporary, PRIVATE);
    if (uid !== undefined) for (const folder of [temporary, home]) await chown(folder, uid, uid);
    return {
      home,
      temporary,
      profile: path.join(home, 'profile'),
      remove: () => removeTree(home).catch(() => undefined),
    };
  }

  async remove(): Promise<void> {
    await removeWorkerFolder(this.folder);
  }
}

async function make(prefix: string, mode: number): Promise<string> {
  const folder = await mkdtemp(prefix);
  await writeFile(path.join(folder, OWNER), `${await startOf(process.pid)} ${hostname()}`);
  await chmod(folder, mode);
  return folder;
}

interface Place {
  readonly folder: string;
  /** Whether every user can pass through it. */
  readonly isPassable: boolean;
}

/** Undefined where somebody else could replace what lies in the folder, and where there is none. */
async function examine(folder: string): Promise<Place | undefined> {
  try {
    const real = await realpath(folder);
    let isPassable = true;
    for (let at = real; ; at = path.dirname(at)) {
      const { uid, mode } = await lstat(at);
      const isSticky = (mode & 0o1000) !== 0;
      if (uid !== 0 && uid !== process.getuid?.()) return undefined;
      if ((mode & 0o022) !== 0 && !isSticky) return undefined;
      isPassable &&= (mode & 0o001) !== 0;
      if (at === path.dirname(at)) return { folder: real, isPassable };
    }
  } catch {
    return undefined;
  }
}

/** Whether it is a real folder of this user's that only this user can change. */
async function isOwn(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  return (
    found?.isDirectory() === true &&
    found.uid === (process.getuid?.() ?? found.uid) &&
    (process.platform === 'win32' || MODES.includes(found.mode & 0o7777))
  );
}

async function removeStale(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const pid = NAME.exec(name)?.groups?.pid;
    const folder = path.join(parent, name);
    if (pid === undefined || !(await isOwn(folder))) continue;
    const owner = await readFile(path.join(folder, OWNER), 'utf8').catch(() => '');
    const [start = '', host] = owner.split(' ');
    if (host !== hostname() || (await isAlive(Number(pid), start))) continue;
    // Another worker may be at it too, which is no reason not to start.
    await removeWorkerFolder(folder).catch(() => undefined);
  }
}

async function removeWorkerFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) await removeTree(path.join(folder, name));
  await rm(folder, REMOVE);
}

/** Removes what lies directly in a worker's folder, where nobody but this user can replace it. */
async function removeTree(tree: string): Promise<void> {
  const found = await lstat(tree).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isDirectory() || found.uid === process.getuid?.()) return rm(tree, REMOVE);
  for (let tries = 1; ; tries += 1) {
    await emptyAs(found.uid, tree);
    try {
      return await rmdir(tree);
    } catch (error) {
      if (!existsSync(tree)) return;
      if (tries > RETRIES) throw error;
      await wait(RETRY_DELAY_MS);
    }
  }
}

/** `rm` cannot remove the folder itself, which lies in one of ours; its exit code tells no more than `rmdir` will. */
function emptyAs(uid: number, folder: string): Promise<void> {
  const script = 'chmod -R u+rwx "$1" 2>&-; rm -rf -- "$1" 2>&-';
  return new Promise((resolve) => {
    execFile(
      '/bin/sh',
      ['-c', script, 'sh', folder],
      { uid, gid: uid, cwd: '/', env: { PATH: '/usr/bin:/bin' } },
      () => resolve(),
    );
  });
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
