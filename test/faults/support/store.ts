import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { S3Server } from '../../support/s3-server.js';
import { filesBelow } from './process-state.js';

/** Where the service keeps its files, as a test looks at it. */
export interface Store {
  /** Of all that lies there. */
  keys(): Promise<string[]>;
  read(key: string): Promise<Buffer>;
}

export function diskStore(folder: string): Store {
  return { keys: () => filesBelow(folder), read: (key) => readFile(path.join(folder, key)) };
}

export function s3Store({ objects }: S3Server): Store {
  return {
    // The one object of the health check is always the same, and stays.
    keys: () => Promise.resolve([...objects.keys()].filter((key) => !key.startsWith('checks/'))),
    read: (key) => Promise.resolve(objects.get(key) ?? Buffer.alloc(0)),
  };
}
