import { join } from 'node:path';
import { Injectable, Logger } from '@nestjs/common';
import type { CompiledFilters } from '../rules/compile-filters.js';
import { type BundledManifest, COMPILED_FILE, readManifest } from './bundled-manifest.js';
import { readCompiled } from './compiled-file.js';
import type { ListsState } from './list-state.js';

/** The build writes them into dist. Sources that run as they are, as in tests, have none. */
const FOLDER = join(import.meta.dirname, '../../../../filter-lists');

/** The lists that come with the service. */
@Injectable()
export class BundledListsService {
  protected readonly folder: string = FOLDER;
  private readonly logger = new Logger(BundledListsService.name);
  private manifest: BundledManifest | undefined;

  state(): ListsState {
    const { lists } = this.manifest ?? {};
    if (lists === undefined)
      return { lists: [], errors: ['The lists that come with the service are missing.'] };
    return { lists: lists.map(({ name, kind, date, rules }) => ({ name, kind, date, rules })), errors: [] };
  }

  /** Resolves to undefined when the build has not made them, or for another version of the service. */
  async load(): Promise<CompiledFilters | undefined> {
    const manifest = await readManifest(this.folder);
    const compiled = manifest && (await readCompiled(join(this.folder, COMPILED_FILE), manifest.key));
    if (compiled === undefined) this.logger.warn('the filter lists that come with the service are missing');
    else this.manifest = manifest;
    return compiled;
  }
}
