import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The folders in which the browsers of a process write, wherever a worker makes them. */
export function browserFolders(pid: number): string[] {
  return [process.env.DATA_DIR ?? '.data', tmpdir()].flatMap((parent) =>
    list(parent)
      .filter((name) => name.startsWith(`capture-browsers.${pid}.`))
      .map((name) => path.join(parent, name)),
  );
}

/** Every entry below them but those of profiles, by its path below its folder. */
export function browserFiles(pid: number): string[] {
  const entries = browserFolders(pid).flatMap((folder) => list(folder, true));
  return entries.filter((entry) => !entry.includes('/profile/'));
}

function list(folder: string, recursive = false): string[] {
  try {
    return readdirSync(folder, { recursive }).map(String);
  } catch {
    // It is not there, or a browser went away with it while it was read.
    return [];
  }
}
