import type { CaptureClient } from '@capture-service/client';
import type { CliContext } from '../context/cli-context.js';
import type { GivenOptions } from '../options/given-options.js';
import type { BatchState } from './batch-state.js';
import type { ListFlags } from './list-flags.js';
import type { SourceRow } from './source-rows.js';
import type { WorkFolder } from './work-folder.js';

/** A list, where its files go, and how. */
export interface ListSettings {
  readonly context: CliContext;
  readonly client: CaptureClient;
  readonly folder: WorkFolder<BatchState>;
  readonly rows: readonly SourceRow[];
  /** Options of all rows. */
  readonly options: GivenOptions;
  readonly flags: ListFlags;
}
