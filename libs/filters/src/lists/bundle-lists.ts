import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FilterKind } from '../filter-set.js';
import { COMPILED_VERSION, compileLists } from '../rules/compile-filters.js';
import { type BundledManifest, COMPILED_FILE, MANIFEST_FILE, readManifest } from './bundled-manifest.js';
import { writeCompiled } from './compiled-file.js';
import { readListHeader } from './list-header.js';
import { sha256 } from './list-store.js';

/** A list whose text is on this machine. */
export interface ListToBundle {
  readonly kind: FilterKind;
  readonly text: string;
  readonly licence: string;
}

export interface BundleSettings {
  readonly folder: string;
  /** Names and versions of the packages with the lists: the lists are read only when these have changed. */
  readonly sources: readonly string[];
  readonly read: () => Promise<readonly ListToBundle[]>;
}

/**
 * Compiles the lists that come with the service into a folder, unless they are there. Resolves to whether it compiled.
 * The manifest is written last: a build that was interrupted begins again.
 */
export async function bundleLists({ folder, sources, read }: BundleSettings): Promise<boolean> {
  const key = sha256([COMPILED_VERSION, ...sources].join('\n'));
  if ((await readManifest(folder))?.key === key) return false;
  const lists = await read();
  const { compiled, counts } = compileLists(lists);
  const manifest: BundledManifest = {
    key,
    sources,
    lists: lists.map(({ kind, text, licence }, i) => {
      const { title, date } = readListHeader(text);
      const rules = counts[i]?.rules ?? 0;
      return { name: title ?? kind, kind, date: date ?? null, rules, sha256: sha256(text), licence };
    }),
  };
  await mkdir(folder, { recursive: true });
  await writeCompiled(join(folder, COMPILED_FILE), key, compiled);
  await writeFile(join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, undefined, 2)}\n`);
  return true;
}
