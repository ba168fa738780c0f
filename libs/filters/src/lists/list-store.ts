import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CompiledFilters, RuleCounts } from '../rules/compile-filters.js';
import { readCompiled, writeCompiled, writeWhole } from './compiled-file.js';
import type { ListValidators } from './list-downloader.js';

/** What is kept of a downloaded list beside its text. */
export interface StoredList {
  readonly sha256: string;
  readonly name: string;
  readonly date: string;
  readonly counts: RuleCounts;
  readonly validators: ListValidators;
  /** When it was last downloaded or found unchanged; ISO 8601. */
  readonly checkedAt: string;
}

/** Keeps the last good content of downloaded lists in a folder, which several workers may share. */
export class ListStore {
  constructor(private readonly folder: string) {}

  /** Resolves to undefined when there is none that can be read. */
  async read(url: URL): Promise<StoredList | undefined> {
    try {
      return JSON.parse(await readFile(this.fileOf(url, 'json'), 'utf8')) as StoredList;
    } catch {
      return undefined;
    }
  }

  /** Resolves to undefined when it is not that of `list`: another worker may have replaced it. */
  async readText(url: URL, list: StoredList): Promise<string | undefined> {
    const text = await readFile(this.fileOf(url, 'txt'), 'utf8').catch(() => undefined);
    return text !== undefined && sha256(text) === list.sha256 ? text : undefined;
  }

  async write(url: URL, list: StoredList, text?: string): Promise<void> {
    if (text !== undefined) await writeWhole(this.fileOf(url, 'txt'), text);
    await writeWhole(this.fileOf(url, 'json'), JSON.stringify(list));
  }

  /** @param key identifies what they were compiled from */
  async readCompiled(key: string): Promise<CompiledFilters | undefined> {
    return readCompiled(this.compiledFile, key).catch(() => undefined);
  }

  async writeCompiled(key: string, compiled: CompiledFilters): Promise<void> {
    await writeCompiled(this.compiledFile, key, compiled);
  }

  private get compiledFile(): string {
    return join(this.folder, 'compiled.bin');
  }

  private fileOf(url: URL, extension: string): string {
    return join(this.folder, `${sha256(url.href).slice(0, 32)}.${extension}`);
  }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
