import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { browsersOf, processes } from '../../support/processes.js';

/** The process groups of a worker's browsers, one for each browser. */
export function browserGroups(pid: number): Set<number> {
  return new Set(browsersOf(pid).map(({ group }) => group));
}

/** The processes of these groups that are still running. */
export function alive(groups: ReadonlySet<number>): number[] {
  return processes()
    .filter(({ group }) => groups.has(group))
    .map(({ pid }) => pid);
}

/** The TCP ports on which a process listens. */
export function listeners(pid: number): number[] {
  const inodes = socketsOf(pid);
  return connections()
    .filter(({ state, inode }) => state === LISTEN && inodes.has(inode))
    .map(({ localPort }) => localPort);
}

/** Whether the process has a connection with this local port. */
export function holdsPort(pid: number, port: number): boolean {
  const inodes = socketsOf(pid);
  return connections().some(({ localPort, inode }) => localPort === port && inodes.has(inode));
}

/** The paths of all files below a folder, relative to it. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}

const ESTABLISHED = '01';
const LISTEN = '0A';

function socketsOf(pid: number): Set<string> {
  try {
    const links = readdirSync(`/proc/${pid}/fd`).map((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`);
      } catch {
        return '';
      }
    });
    return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
  } catch {
    return new Set();
  }
}

// proc_net(5): local address, remote address, state, …, inode.
function connections(): { localPort: number; remotePort: number; state: string; inode: string }[] {
  const lines = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8').split('\n').slice(1),
  );
  return lines.flatMap((line) => {
    const [, local, remote, state = '', , , , , , inode = ''] = line.trim().split(/\s+/);
    return local === undefined
      ? []
      : [{ localPort: portOf(local), remotePort: portOf(remote), state, inode }];
  });
}

/** The process groups of a worker's browsers that are connected to one of its egress proxies: those at work on a page. */
export function busyBrowsers(pid: number): number[] {
  const egressProxies = new Set(listeners(pid));
  const toProxies = new Set(
    connections().flatMap(({ remotePort, state, inode }) =>
      state === ESTABLISHED && egressProxies.has(remotePort) ? [inode] : [],
    ),
  );
  const busy = browsersOf(pid).filter((row) => [...socketsOf(row.pid)].some((inode) => toProxies.has(inode)));
  return [...new Set(busy.map(({ group }) => group))];
}

function portOf(address = ''): number {
  return Number.parseInt(address.split(':')[1] ?? '', 16);
}
