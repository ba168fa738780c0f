import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CliError } from './cli-error.js';

/** What `capture login` stores. */
export interface StoredLogin {
  readonly url: string;
  readonly key: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** The bits of a mode that let others than its owner use a file. */
const OF_OTHERS = 0o077;

/** The file of the log-in, in the folder of the XDG Base Directory Specification (of %APPDATA% on Windows). */
export function loginFile(env: Env, platform = process.platform): string {
  const home = env.HOME || os.homedir();
  const folder =
    env.XDG_CONFIG_HOME || (platform === 'win32' && env.APPDATA ? env.APPDATA : path.join(home, '.config'));
  return path.join(folder, 'capture-service', 'config.json');
}

/**
 * Reads the log-in; undefined when there is none.
 *
 * @throws CliError when others may read the file, or when it is damaged
 */
export function readLogin(env: Env): StoredLogin | undefined {
  const file = loginFile(env);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (process.platform !== 'win32' && (stat.mode & OF_OTHERS) !== 0) {
    throw new CliError(`Others can read the API key in ${file}. Run \`chmod 600 ${file}\`, or log in again.`);
  }
  return parsed(file);
}

function parsed(file: string): StoredLogin {
  try {
    const { url, key } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    if (typeof url === 'string' && typeof key === 'string') return { url, key };
  } catch {
    // It is reported below, together with a file of another shape.
  }
  throw new CliError(`${file} cannot be read as a log-in. Run \`capture login\` again, or remove the file.`);
}

/** Stores the log-in with mode 600, in a folder with mode 700, and returns the file. */
export function storeLogin(env: Env, { url, key }: StoredLogin): string {
  const file = loginFile(env);
  const folder = path.dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const draft = `${file}.${process.pid}`;
  rmSync(draft, { force: true });
  writeFileSync(draft, `${JSON.stringify({ url, key }, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(draft, file);
  return file;
}

/** Removes the log-in. Returns whether there was one. */
export function removeLogin(env: Env): boolean {
  const file = loginFile(env);
  const isThere = statSync(file, { throwIfNoEntry: false }) !== undefined;
  rmSync(file, { force: true });
  return isThere;
}
