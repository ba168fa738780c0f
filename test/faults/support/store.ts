import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { S3Server } from '../../support/s3-server.js';
import { filesBelow } from './process-state.js';

/** The service's file store as a test reads it. */
export interface Store {
  /** The keys of all files. */
  keys(): Promise<string[]>;
  read(key: string): Promise<Buffer>;
}

export function diskStore(folder: string): Store {
  return { keys: () => filesBelow(folder), read: (key) => readFile(path.join(folder, key)) };
}

export function s3Store({ objects }: S3Server): Store {
  return {
    // The object of the health check is always the same, and stays.
    keys: () => Promise.resolve([...objects.keys()].filter((key) => !key.startsWith('checks/'))),
    read: (key) => Promise.resolve(objects.get(key) ?? Buffer.alloc(0)),
  };
}
