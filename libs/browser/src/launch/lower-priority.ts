import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Linux takes one change of a group in 100 ms from users other than root, and refuses others with EAGAIN. */
const RETRY_MS = 120;
const MAX_TRIES = 20;

/**
 * Lowers the priority of a browser and of the processes that it starts from now on. Never rejects: a browser without it works,
 * too.
 *
 * Outside of containers Linux shares the cores among sessions, and each browser is one: as long as pages compute, the worker
 * would get no more than one of them, and finished captures would wait for it. There the priority among sessions counts
 * (sched(7), "The autogroup feature"), elsewhere that of each process.
 */
export async function lowerPriority(pid: number, niceness: number): Promise<void> {
  if (niceness === 0) return;
  try {
    os.setPriority(pid, niceness);
  } catch {
    // It has ended.
  }
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    try {
      return await writeFile(`/proc/${pid}/autogroup`, String(niceness));
    } catch (error) {
      // The system has no such groups, or the process has ended or may not be changed.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }
}
