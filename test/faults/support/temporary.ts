import os from 'node:os';
import path from 'node:path';

/** Where a folder of this run begins; by its name the next run knows it for one of a run that was killed. */
export function temporary(purpose: string): string {
  return path.join(os.tmpdir(), `capture-test-${process.pid}-${purpose}-`);
}
