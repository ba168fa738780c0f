import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { dataFolder } from '../../apps/launcher/src/data-folder.mjs';

/** The folders of a process's browsers, in both places where a worker creates them. */
export function browserFolders(pid: number): string[] {
  return [process.env.DATA_DIR ?? '.data', tmpdir()].flatMap((parent) =>
    list(parent)
      .filter((name) => name.startsWith(`capture-browsers.${pid}.`))
      .map((name) => path.join(parent, name)),
  );
}

/** The paths of all entries of these folders, except those of profiles. */
export function browserFiles(pid: number): string[] {
  const entries = browserFolders(pid).flatMap((folder) => list(folder, true));
  return entries.filter((entry) => !entry.includes('/profile/'));
}

function list(folder: string, recursive = false): string[] {
  try {
    return readdirSync(folder, { recursive }).map(String);
  } catch {
    // It does not exist, or its browser removed it while it was read.
    return [];
  }
}

/**
 * A folder for a script that starts this browser. The folder of a browser from npm is closed to other users: browsers see
 * there only the folder of their program.
 */
export function wrapperFolderOf(browser: string): string {
  return browser.startsWith(dataFolder()) ? path.dirname(browser) : tmpdir();
}
