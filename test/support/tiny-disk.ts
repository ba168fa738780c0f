import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system that is small enough to fill up. */
export interface TinyDisk {
  readonly folder: string;
  remove(): Promise<void>;
}

/** Returns null where this process may neither mount nor create a namespace in which it may. */
export async function mountTinyDisk(megabytes: number): Promise<TinyDisk | null> {
  const folder = mkdtempSync(join(tmpdir(), 'tiny-disk-'));
  const mount = ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder];
  const disk = mountHere(folder, mount) ?? (await mountInNamespace(folder, mount));
  if (!disk) rmSync(folder, { recursive: true });
  return disk;
}

function mountHere(folder: string, mount: readonly string[]): TinyDisk | null {
  try {
    execFileSync('mount', mount, { stdio: 'ignore' });
  } catch {
    return null;
  }
  return {
    folder,
    remove: async () => {
      // Lazily, because a process may still use it.
      execFileSync('umount', ['--lazy', folder]);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Mounts in a user namespace, where any user may. A process keeps the namespace alive, and its files are read through it. */
async function mountInNamespace(folder: string, mount: readonly string[]): Promise<TinyDisk | null> {
  const script = 'mount "$@" && echo mounted && exec sleep infinity';
  const keeper = spawn(
    'unshare',
    ['--user', '--map-root-user', '--mount', 'sh', '-c', script, 'sh', ...mount],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const isMounted = await Promise.race([
    once(keeper.stdout, 'data').then(() => true),
    once(keeper, 'exit').then(() => false),
  ]).catch(() => false);
  if (!isMounted) return null;
  return {
    folder: `/proc/${keeper.pid}/root${folder}`,
    remove: async () => {
      keeper.kill('SIGKILL');
      await once(keeper, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}
