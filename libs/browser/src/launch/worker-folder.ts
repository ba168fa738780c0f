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
import { setTimeout as sleep } from 'node:timers/promises';

const PREFIX = 'capture-browsers';
/** The prefix, the process id and the six letters of mkdtemp. */
const NAME = new RegExp(`^${PREFIX}\\.(?<pid>\\d+)\\.\\w{6}$`);
/** A file with the start time and the machine of the process, which identify it together with the process id. */
const OWNER = 'owner';
/**
 * The age at which a folder that names no owner is one whose worker was killed while it created the folder. A living worker needs
 * milliseconds for that; the rest covers the clocks of machines that share the place.
 */
const UNOWNED_MS = 3_600_000;
/** Killed processes may still write for a moment. */
const RETRIES = 10;
const RETRY_DELAY_MS = 100;
const REMOVE = { recursive: true, force: true, maxRetries: RETRIES, retryDelay: RETRY_DELAY_MS } as const;

const PRIVATE = 0o700;
/** Other users can reach their own files in it, and list nothing. */
const PASSABLE = 0o711;
const MODES: readonly number[] = [PRIVATE, PASSABLE];

/** The maximum length of the path of a Unix socket; full Chromium aborts when this one in its TMPDIR is longer. */
const MAX_SOCKET_PATH = 107;
const SOCKET = '/b-abcdef/t/org.chromium.Chromium.abcdef/SingletonSocket';

/** The profile, home and temporary files of one browser, which are removed with it. */
export interface BrowserFolder {
  readonly home: string;
  readonly profile: string;
  readonly temporary: string;
  /** Never rejects: remaining files are removed with the folder of the worker. */
  remove(): Promise<void>;
}

export interface WorkerFolderPlace {
  /** The data folder of the service, in which the folder is created if it exists, is safe and has a short enough path. */
  readonly dataDir: string;
  /** Whether browsers run as other users, which must be able to reach their own folders. */
  readonly passable: boolean;
}

/**
 * The folder of all browsers of one worker process. It identifies its process, so that a worker removes the folders of dead
 * processes and never that of a living one.
 *
 * Any user of the machine can forge names, so a folder is removed only if no other user could have created it or can change
 * it during the removal: it must be a real folder of this user, closed to others, in a place where others cannot replace it.
 * The files of a browser's own user are removed with the rights of that user: a process that outlived its browser could plant
 * links, which must not reach anything that the process could not reach itself.
 */
export class WorkerFolder {
  private folder: string;
  private readonly mode: number;

  private constructor(folder: string, mode: number) {
    this.folder = folder;
    this.mode = mode;
  }

  /** Removes the folders of dead workers of this machine, whichever of both places they are in. */
  static async removeStale(dataDir: string): Promise<void> {
    for (const { folder } of await safePlaces(dataDir)) await removeStale(folder);
  }

  /** Removes the folders of dead workers of this machine, and creates a new one. */
  static async open({ dataDir, passable }: WorkerFolderPlace): Promise<WorkerFolder> {
    await WorkerFolder.removeStale(dataDir);
    const name = `${PREFIX}.${process.pid}.`;
    const suits = (await safePlaces(dataDir)).find(
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

  /** Creates the folder of a browser; `uid` is its owner, if that is another user. */
  async openBrowserFolder(uid?: number): Promise<BrowserFolder> {
    // A cleaner of /tmp may have removed the folder, and another user may have taken its name.
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

/** Those of both places where others can replace nothing. */
async function safePlaces(dataDir: string): Promise<Place[]> {
  const places = await Promise.all([dataDir, tmpdir()].map((folder) => examine(folder)));
  return places.filter((place) => place !== undefined);
}

/** Undefined when the folder does not exist, or another user could replace its contents. */
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

/** Whether it is a real folder that belongs to this user and that only this user can change. */
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
    if (owner === '') await removeUnowned(folder).catch(() => undefined);
    const [start = '', host] = owner.split(' ');
    if (host !== hostname() || (await isAlive(Number(pid), start))) continue;
    // Another worker may be removing it, too.
    await removeWorkerFolder(folder).catch(() => undefined);
  }
}

/** Removes a folder whose worker ended before it had written who it is, which is empty therefore. */
async function removeUnowned(folder: string): Promise<void> {
  const { mtimeMs } = await lstat(folder);
  if (Date.now() - mtimeMs < UNOWNED_MS) return;
  await rm(path.join(folder, OWNER), { force: true });
  await rmdir(folder);
}

async function removeWorkerFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) await removeTree(path.join(folder, name));
  await rm(folder, REMOVE);
}

/** Removes a direct child of the folder of a worker, which only this user can replace. */
async function removeTree(tree: string): Promise<void> {
  const found = await lstat(tree).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isDirectory() || found.uid === process.getuid?.()) return rm(tree, REMOVE);
  for (let attempts = 1; ; attempts += 1) {
    await emptyAs(found.uid, tree);
    try {
      return await rmdir(tree);
    } catch (error) {
      if (!existsSync(tree)) return;
      if (attempts > RETRIES) throw error;
      await sleep(RETRY_DELAY_MS);
    }
  }
}

/** `rm` cannot remove the folder itself, whose parent belongs to this user; its exit code is ignored, because `rmdir` follows. */
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
 * The start time of a process, in clock ticks since boot, which distinguishes it from a later one with the same id. Undefined
 * when there is no such process, or no /proc.
 */
async function startOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name of the program, in parentheses, may contain anything; field 22 is the 20th after it (proc_pid_stat(5)).
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}
