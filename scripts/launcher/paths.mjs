import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** Reads `.env` of the checkout, where there is one; a variable that is set already wins. */
export function loadDotEnv(file = path.join(root, '.env')) {
  if (existsSync(file)) process.loadEnvFile(file);
}

/** Folder of everything the launcher keeps; absolute, because the processes it starts need not share its folder. */
export function dataFolder(env = process.env) {
  return path.resolve(root, env.DATA_DIR || '.data');
}

/** The first of `names` that is an executable file in one of the folders of PATH. */
export function onPath(names, searchPath = process.env.PATH ?? '') {
  const folders = searchPath.split(path.delimiter).filter(Boolean);
  for (const name of [names].flat()) {
    const found = folders.map((folder) => path.join(folder, name)).find(isExecutable);
    if (found) return found;
  }
  return undefined;
}

const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/**
 * A tool of the system, also where PATH is short of its folder: the PATH of services and of ordinary users often lacks
 * the sbin ones. Browsers are looked up by `onPath` alone, so that a PATH without them hides them.
 */
export function systemTool(name) {
  return onPath(name, [process.env.PATH ?? '', ...SYSTEM_FOLDERS].join(path.delimiter));
}

export function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
