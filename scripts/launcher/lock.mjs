import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StartError } from './output.mjs';
import { beginningOf, endStranger } from './processes.mjs';

const ORPHAN_GRACE_MS = 2_000;

/**
 * Takes the data folder for this launcher alone. The lock names its holder by pid and beginning, and the processes the
 * holder started: a lock whose holder is dead is taken over, and what that launcher left running is ended first.
 *
 * @throws StartError when another launcher runs on the folder.
 */
export async function takeLock(dataDir) {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = path.join(dataDir, 'launcher.lock');
  const own = { pid: process.pid, beginning: beginningOf(process.pid), children: [] };
  while (!place(file, own)) {
    const holder = read(file);
    if (holder && isAlive(holder)) throw new StartError(alreadyRunning(dataDir, holder));
    const stale = setAside(file, holder);
    await Promise.all((stale?.children ?? []).map((child) => endStranger(child, 'SIGTERM', ORPHAN_GRACE_MS)));
  }
  return {
    /** Notes a process of ours, for the next launcher should this one be killed. */
    note(pid) {
      own.children = [...own.children.filter(isAlive), { pid, beginning: beginningOf(pid) }];
      write(file, own);
    },
    release() {
      rmSync(file, { force: true });
    },
  };
}

// A link appears whole or not at all, and fails when the name is taken: two launchers never both succeed.
function place(file, content) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(content), { mode: 0o600 });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

// Another launcher may have taken the stale lock over since it was read; then what was moved is that one's, and goes back.
function setAside(file, judged) {
  const aside = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
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

function write(file, content) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(content), { mode: 0o600 });
  renameSync(draft, file);
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

const isAlive = ({ pid, beginning }) => beginning !== undefined && beginningOf(pid) === beginning;

const alreadyRunning = (dataDir, { pid }) =>
  `Capture Service already runs on ${dataDir} (process ${pid}).\n` +
  'Stop it first, or set DATA_DIR (and PORT, WORKER_PORT) to run a second one beside it.';
