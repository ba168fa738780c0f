import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of its own, so small that it fills up. */
export interface TinyDisk {
  readonly folder: string;
  remove(): Promise<void>;
}

/** Null where this process may neither mount nor make a namespace in which it may. */
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
      // Lazily: a process that still looks at it is no reason to fail.
      execFileSync('umount', ['--lazy', folder]);
      rmSync(folder, { recursive: true });
    },
  };
}

/** In a user namespace anybody may mount; a process keeps it open, and through that process we see its files. */
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
