import { statfsSync } from 'node:fs';
import os from 'node:os';

const MEMORY = '/dev/shm';
/** What the servers of a run write at most, with room for what else is there. */
const MIN_FREE_BYTES = 3 * 1024 ** 3;

/**
 * The folder for the data of servers under test: in memory where Linux has room for it, because PostgreSQL then copies the
 * database of a spec with a tenth of the CPU time. No test reads what a crash of the machine leaves.
 */
export function scratchFolder() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MIN_FREE_BYTES && os.freemem() >= MIN_FREE_BYTES ? MEMORY : os.tmpdir();
  } catch {
    return os.tmpdir();
  }
}
