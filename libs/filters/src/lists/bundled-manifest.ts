import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListState } from './list-state.js';

/** manifest.json beside the compiled lists. */
export interface BundledManifest {
  /** A hash of the version of the compiler and of the sources of the lists. */
  readonly key: string;
  /** The packages with the text of the lists, and their licences. */
  readonly sources: readonly string[];
  readonly lists: readonly BundledList[];
}

/** A list that comes with the service. */
export interface BundledList extends ListState {
  readonly sha256: string;
  /** SPDX identifier. */
  readonly licence: string;
}

export const MANIFEST_FILE = 'manifest.json';
export const COMPILED_FILE = 'compiled.bin';

export async function readManifest(folder: string): Promise<BundledManifest | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, MANIFEST_FILE), 'utf8')) as BundledManifest;
  } catch {
    return undefined;
  }
}
