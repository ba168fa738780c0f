import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeWhole } from './data-folder.mjs';
import { StartError } from './output.mjs';
import { beginningOf, codeOf, endStranger, isAlive } from './processes.mjs';

/** @import { ProcessId } from './processes.mjs' */
/** @typedef {ProcessId & { children: ProcessId[] }} Holder */

const ORPHAN_GRACE_MS = 2_000;

/**
 * Locks the data folder for this launcher. The lock names its holder and the processes that the holder started. A
 * launcher takes over the lock of a dead holder after it has ended the processes that the holder left behind.
 *
 * @param {string} dataDir
 * @throws StartError when another launcher runs on the folder
 */
export async function takeLock(dataDir) {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = path.join(dataDir, 'launcher.lock');
  /** @type {Holder} */
  const own = { pid: process.pid, beginning: beginningOf(process.pid), children: [] };
  while (!place(file, own)) {
    const holder = read(file);
    if (holder && isAlive(holder)) throw new StartError(alreadyRunning(dataDir, holder));
    const stale = setAside(file, holder);
    await Promise.all((stale?.children ?? []).map((child) => endStranger(child, 'SIGTERM', ORPHAN_GRACE_MS)));
  }
  return {
    /**
     * Records a process of this launcher, for the next launcher in case this one is killed.
     *
     * @param {number} pid
     */
    record(pid) {
      own.children = [...own.children.filter(isAlive), { pid, beginning: beginningOf(pid) }];
      writeWhole(file, JSON.stringify(own));
    },
    release() {
      rmSync(file, { force: true });
    },
  };
}

/**
 * Creates the lock. A link appears whole or not at all, and fails when the name is taken: two launchers never both
 * succeed.
 *
 * @param {string} file
 * @param {Holder} content
 */
function place(file, content) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(content), { mode: 0o600 });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Removes a stale lock and returns its content. Another launcher may have taken it over since `judged` was read; then the
 * file that was moved belongs to that launcher and goes back.
 *
 * @param {string} file
 * @param {Holder | undefined} judged
 */
function setAside(file, judged) {
  const aside = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const moved = read(aside);
  if (moved && isAlive(moved) && moved.pid !== judged?.pid) {
    renameSync(aside, file);
    return undefined;
  }
  rmSync(aside, { force: true });
  return moved;
}

/**
 * @param {string} file
 * @returns {Holder | undefined}
 */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * @param {string} dataDir
 * @param {Holder} holder
 */
const alreadyRunning = (dataDir, { pid }) =>
  `Capture Service already runs on ${dataDir} (process ${pid}).\n` +
  'Stop it first, or set DATA_DIR (and PORT, WORKER_PORT) to run a second one beside it.';
