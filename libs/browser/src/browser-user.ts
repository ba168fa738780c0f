import { execFile } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * User ids of browsers where the worker is root: a range that neither distributions nor systemd give to anybody
 * (https://systemd.io/UIDS-GIDS/), below the 65,536 that a container has. Each browser gets the next one, so that what
 * outlives a browser has no rights over a later one or its neighbours.
 */
const FIRST_UID = 60_600;
const UIDS = 500;

const PROBE_TIMEOUT_MS = 10_000;

/** What it takes to start processes as another user, to give files to it and to kill it (capabilities(7)). */
const CAPABILITIES = { CHOWN: 0, KILL: 5, SETGID: 6, SETUID: 7 } as const;

/** The PATH of a service may lack them. */
const TOOLS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

const AS_NOBODY = ['--user', '--map-user=65534', '--map-group=65534', '--'];

/**
 * Lays an empty file system over each folder, in which only some folders below it appear, at their paths; then runs the
 * command. It is built on /sys, which is there everywhere, and moved from there. The arguments: each folder, followed by what appears
 * in it and an empty word; an empty word; the command.
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
  /** Other files and folders that it reads; those that do not exist are left out. */
  readonly files: readonly string[];
  /** Folder of the service's own data, which nothing in a browser must read. */
  readonly dataDir: string;
  /** The worker's folder, in which the browser's lies. */
  readonly folder: string;
  readonly sandbox: boolean;
}

type Wrap = (command: Command, uid: number) => Command;

interface Way {
  readonly name: string;
  readonly wrap: Wrap;
  /** Whether the processes and files of the browser belong to a user of its own. */
  readonly isOwnUser: boolean;
}

/** Whether this process could start browsers as other users than its own. */
export function mayChangeUser(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const mask = BigInt(`0x${/^CapEff:\s+(\w+)$/m.exec(readText('/proc/self/status'))?.[1] ?? '0'}`);
  return Object.values(CAPABILITIES).every((bit) => (mask >> BigInt(bit)) & 1n);
}

/**
 * As whom browsers run. An ordinary user's browsers are that user's. Root's are not root's, by the first of these ways that
 * works here:
 *
 * 1. a user of their own. That user can reach neither the files of root nor its processes.
 * 2. the same, where the program lies in a folder that is closed to others (the checkout of root in /root, or what
 *    `npm start` unpacks): the browser gets a view of the file system in which that folder holds the program alone.
 * 3. nobody, in a user namespace: outside of it the files are reached as root. The folder of the service's data is hidden.
 * 4. the same, with nothing hidden.
 *
 * Chromium refuses its sandbox to root; in all four it builds it as for any user. Without the sandbox the last resort is
 * root itself.
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

/** By its path, where the system has it. */
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
  const within = (cover: string): string[] => needed.filter((folder) => folder.startsWith(`${cover}/`));
  return ['view', ...covers.flatMap((cover) => [cover, ...within(cover), '']), ''];
}

/** The folders that the browser reads, by the paths it is given and by those that they lead to. */
function pathsOf({ program, files, folder }: BrowserNeeds): string[] {
  const folders = [path.dirname(program), ...files.map(folderOf), folder].filter((file) => existsSync(file));
  return folders.flatMap((file) => [path.resolve(file), realpathSync(file)]).concat(targetOf(program));
}

const folderOf = (file: string): string =>
  statSync(file, { throwIfNoEntry: false })?.isDirectory() ? file : path.dirname(file);

const targetOf = (program: string): string[] =>
  existsSync(program) ? [path.dirname(realpathSync(program))] : [];

/** The first folder on the way that others cannot pass through. */
function closedFolder(file: string): string | undefined {
  const parts = file.split(path.sep).slice(1);
  const folders = parts.map((_, index) => path.sep + parts.slice(0, index + 1).join(path.sep));
  return folders.find((folder) => ((statSync(folder, { throwIfNoEntry: false })?.mode ?? 1) & 0o001) === 0);
}

/** Whether the browser, started that way, could run its program and read what it needs. */
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
