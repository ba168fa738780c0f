import { readdirSync, readFileSync } from 'node:fs';
import { browserFiles, browserFolders } from '../../test/support/browser-folders.js';
import { descendants } from '../../test/support/processes.js';

const PAGE_BYTES = 4_096;

/** The resources of the service while it is idle. */
export interface Belongings {
  /** Resident memory in bytes of each Node process. */
  readonly apiBytes: number;
  readonly workerBytes: number;
  /** Bytes in use by each of them after a garbage collection. */
  readonly apiHeap: number;
  readonly workerHeap: number;
  /** Child processes of the worker: browsers. */
  readonly processes: number;
  readonly descriptors: number;
  /** Folders of browsers and the files in them, except profiles. */
  readonly folders: number;
  /** Process groups below the worker: one for each browser. */
  readonly browsers: number;
}

/** The resources that can be read without a garbage collection. */
export type Reading = Omit<Belongings, 'apiHeap' | 'workerHeap'>;

export function readBelongings(api: number, worker: number): Reading {
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
