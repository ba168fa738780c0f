import { execFile } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * The user ids of browsers when the worker is root: a range that neither distributions nor systemd assign
 * (https://systemd.io/UIDS-GIDS/), below the 65,536 of a container. Each browser gets the next id, so that a process that
 * outlives its browser has no rights over other browsers.
 */
const FIRST_UID = 60_600;
const UIDS = 500;

const PROBE_TIMEOUT_MS = 10_000;

/** The capabilities to start and kill processes of another user and to give it files (capabilities(7)). */
const CAPABILITIES = { CHOWN: 0, KILL: 5, SETGID: 6, SETUID: 7 } as const;

/** The folders of system tools, which the PATH of a service may lack. */
const TOOLS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

const AS_NOBODY = ['--user', '--map-user=65534', '--map-group=65534', '--'];

/**
 * Mounts an empty file system over each given folder, in which only some of its subfolders are visible, and runs the command.
 * It is built on /sys, which exists everywhere, and moved from there. The arguments: each folder, followed by its visible
 * subfolders and an empty word; an empty word; the command.
 */
const VIEW = `set -e; umask 022; stage=/sys; given=$PATH; PATH=${TOOLS.join(':')}
while [ -n "$1" ]; do
  cover=$1; shift; mount -t tmpfs -o mode=755,size=1m,nosuid,nodev view "$stage"
  while [ -n "$1" ]; do
    to=$stage\${1#"$cover"}; mkdir -p "$to"; mount --rbind "$1" "$to"; shift
  done
  shift; mount --move "$stage" "$cover"
done
shift; PATH=$given; exec "$@"`;

/** A program and its arguments. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

export interface BrowserNeeds {
  readonly program: string;
  /** Other files and folders that it reads; missing ones are ignored. */
  readonly files: readonly string[];
  /** The data folder of the service, which no browser may read. */
  readonly dataDir: string;
  /** The folder of the worker, which contains that of the browser. */
  readonly folder: string;
  readonly sandbox: boolean;
}

type Wrap = (command: Command, uid: number) => Command;

interface Way {
  readonly name: string;
  readonly wrap: Wrap;
  /** Whether the browser runs as a user of its own. */
  readonly isOwnUser: boolean;
}

/** Whether this process can start browsers as other users. */
export function mayChangeUser(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const mask = BigInt(`0x${/^CapEff:\s+(\w+)$/m.exec(readText('/proc/self/status'))?.[1] ?? '0'}`);
  return Object.values(CAPABILITIES).every((bit) => (mask >> BigInt(bit)) & 1n);
}

/**
 * The user that browsers run as. If the worker is not root, its browsers run as the same user. If it is root, they run as
 * another user, in the first of these ways that works on this machine:
 *
 * 1. as a user of their own, which can access neither the files nor the processes of root.
 * 2. the same, for a program in a folder that is closed to others (a checkout of root in /root, or the one that `npm start`
 *    unpacks): the browser gets a view of the file system in which that folder contains only the program.
 * 3. as nobody in a user namespace, which accesses files outside of it as root. The data folder of the service is hidden.
 * 4. the same, with nothing hidden.
 *
 * Chromium refuses to use its sandbox as root, but uses it in all four. Without the sandbox the last resort is root itself.
 */
export class BrowserUser {
  readonly name: string;
  private readonly way: Way;
  private launches = process.pid;

  private constructor(way: Way) {
    this.name = way.name;
    this.way = way;
  }

  static async choose(needs: BrowserNeeds): Promise<BrowserUser> {
    for (const way of ways(needs)) if (await works(way, needs)) return new BrowserUser(way);
    return new BrowserUser(asThisUser);
  }

  /** The user id of the next browser; undefined: that of this process. */
  nextUid(): number | undefined {
    if (!this.way.isOwnUser) return undefined;
    this.launches += 1;
    return uidAt(this.launches);
  }

  /** The command that runs `command` as the browser with this user id. */
  wrap(command: Command, uid: number | undefined): Command {
    return this.way.wrap(command, uid ?? 0);
  }
}

const uidAt = (launch: number): number => FIRST_UID + (launch % UIDS);

const asThisUser: Way = { name: 'the user of the worker', wrap: (command) => command, isOwnUser: false };

function ways(needs: BrowserNeeds): Way[] {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return [];
  const needed = [...new Set(pathsOf(needs))];
  const closed = [...new Set(needed.map(closedFolder).filter((folder) => folder !== undefined))];
  const dataDir = existsSync(needs.dataDir) ? [realpathSync(needs.dataDir)] : [];
  const own: Way[] = [
    { name: 'a user of its own', wrap: asUser, isOwnUser: true },
    {
      name: 'a user of its own with a view of its own',
      wrap: (command, uid) => unshared([], view(closed, needed), asUser(command, uid)),
      isOwnUser: true,
    },
  ];
  const nobody: Way[] = [
    {
      name: 'nobody in a namespace, without the data folder',
      wrap: (command) => unshared(['--user', '--map-root-user'], view(dataDir, needed), asNobody(command)),
      isOwnUser: false,
    },
    { name: 'nobody in a namespace', wrap: asNobody, isOwnUser: false },
  ];
  return [...(mayChangeUser() ? own : []), ...(needs.sandbox ? nobody : [])];
}

/** The path of a system tool, or its name where it is missing. */
const tool = (name: string): string =>
  TOOLS.map((folder) => path.join(folder, name)).find((file) => existsSync(file)) ?? name;

const asNobody = ({ file, args }: Command): Command => ({
  file: tool('unshare'),
  args: [...AS_NOBODY, file, ...args],
});

const asUser: Wrap = ({ file, args }, uid) => ({
  file: tool('setpriv'),
  args: [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--', file, ...args],
});

function unshared(flags: readonly string[], view: readonly string[], { file, args }: Command): Command {
  const script = ['--mount', '--', '/bin/sh', '-c', VIEW, ...view];
  return { file: tool('unshare'), args: [...flags, ...script, file, ...args] };
}

function view(covers: readonly string[], needed: readonly string[]): string[] {
  const visibleIn = (cover: string): string[] => needed.filter((folder) => folder.startsWith(`${cover}/`));
  return ['view', ...covers.flatMap((cover) => [cover, ...visibleIn(cover), '']), ''];
}

/** The folders that the browser reads, by their given paths and their real paths. */
function pathsOf({ program, files, folder }: BrowserNeeds): string[] {
  const folders = [path.dirname(program), ...files.map(folderOf), folder].filter((file) => existsSync(file));
  return folders.flatMap((file) => [path.resolve(file), realpathSync(file)]).concat(targetOf(program));
}

const folderOf = (file: string): string =>
  statSync(file, { throwIfNoEntry: false })?.isDirectory() ? file : path.dirname(file);

const targetOf = (program: string): string[] =>
  existsSync(program) ? [path.dirname(realpathSync(program))] : [];

/** The first folder on the path that other users cannot pass through. */
function closedFolder(file: string): string | undefined {
  const parts = file.split(path.sep).slice(1);
  const folders = parts.map((_, index) => path.sep + parts.slice(0, index + 1).join(path.sep));
  return folders.find((folder) => ((statSync(folder, { throwIfNoEntry: false })?.mode ?? 1) & 0o001) === 0);
}

/** Whether a browser that is started in this way can run its program and read its files. */
function works({ wrap }: Way, { program, files, folder }: BrowserNeeds): Promise<boolean> {
  const script = 'for file; do test -r "$file" || exit 1; done; test -x "$1" && test -x "$0"';
  const present = files.filter((file) => existsSync(file));
  const probe = { file: '/bin/sh', args: ['-c', script, folder, path.resolve(program), ...present] };
  const { file, args } = wrap(probe, uidAt(0));
  return new Promise((resolve) => {
    const options = { cwd: '/', env: { PATH: TOOLS.join(':') }, timeout: PROBE_TIMEOUT_MS };
    execFile(file, args, options, (error) => resolve(error === null));
  });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
