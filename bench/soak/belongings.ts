import { readdirSync, readFileSync } from 'node:fs';
import { browserFiles, browserFolders } from '../../test/support/browser-folders.js';
import { descendants } from '../../test/support/processes.js';

const PAGE_BYTES = 4_096;

/** What the service holds at a moment at which it does nothing. */
export interface Belongings {
  /** Resident memory in bytes of each Node process. */
  readonly apiBytes: number;
  readonly workerBytes: number;
  /** What each of them holds once its garbage is collected. */
  readonly apiHeap: number;
  readonly workerHeap: number;
  /** Below the worker: browsers. */
  readonly processes: number;
  readonly descriptors: number;
  /** Of browsers, and what lies in them but for the profiles. */
  readonly folders: number;
  /** Groups of processes below the worker: one for each browser. */
  readonly browsers: number;
}

/** All but what takes a collection of garbage. */
export type Looks = Omit<Belongings, 'apiHeap' | 'workerHeap'>;

export function look(api: number, worker: number): Looks {
  const below = descendants(worker);
  return {
    apiBytes: residentBytes(api),
    workerBytes: residentBytes(worker),
    processes: below.length,
    descriptors: countDescriptors(api) + countDescriptors(worker),
    folders: countFolders(worker),
    browsers: new Set(below.map(({ group }) => group)).size,
  };
}

function residentBytes(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
}

function countDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

function countFolders(worker: number): number {
  return browserFolders(worker).length + browserFiles(worker).length;
}
