import type { CaptureClient } from '@capture-service/client';
import type { CliContext } from '../context/cli-context.js';
import type { GivenOptions } from '../options/given-options.js';
import type { BatchFolder } from './batch-folder.js';
import type { ListFlags } from './list-flags.js';
import type { SourceRow } from './source-rows.js';

/** A list, where its files go, and how. */
export interface ListSettings {
  readonly context: CliContext;
  readonly client: CaptureClient;
  readonly folder: BatchFolder;
  readonly rows: readonly SourceRow[];
  /** Options of all rows. */
  readonly options: GivenOptions;
  readonly flags: ListFlags;
}
