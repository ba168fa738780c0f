import type { BatchFilters, BatchRecord } from '@capture-service/client';
import { Option, type Command } from 'commander';
import type { CliContext } from '../cli-context.js';
import { addCommand } from '../global-options.js';
import { printList, type Column } from '../output.js';
import { minuteOf } from '../record-text.js';
import { addLimitFlags, limited, pageOf, type LimitFlags } from './limit-flags.js';

const STATUSES = ['queued', 'running', 'completed', 'canceled'] as const;

interface ListFlags extends LimitFlags {
  readonly status?: BatchRecord['status'];
  readonly createdAfter?: string;
  readonly createdBefore?: string;
}

const COLUMNS: readonly Column<BatchRecord>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'CREATED', of: (batch) => minuteOf(batch.created_at) },
  { title: 'STATUS', of: ({ status }) => status },
  { title: 'ROWS', of: ({ total }) => total, right: true },
  { title: 'ENDED', of: ({ progress }) => `${Math.floor(progress * 100)} %`, right: true },
  { title: 'SUCCEEDED', of: ({ counts }) => counts.succeeded, right: true },
  { title: 'FAILED', of: ({ counts }) => counts.failed, right: true },
  { title: 'CANCELED', of: ({ counts }) => counts.canceled, right: true },
  { title: 'LEFT', of: ({ eta_s: etaS }) => (etaS === null || etaS === 0 ? null : `${etaS} s`), right: true },
];

/** `capture batches list`. */
export function registerBatchList(batches: Command, context: CliContext): void {
  const list = addCommand(batches, 'list', 'batches, newest first')
    .addOption(new Option('--status <status>', 'only batches of this status').choices(STATUSES))
    .option('--created-after <time>', 'such as 2026-11-21T00:00:00Z')
    .option('--created-before <time>', 'such as 2026-11-21T00:00:00Z');
  addLimitFlags(list).action((flags: ListFlags) => {
    const records = context.client().bulk.list(filtersOf(flags), { signal: context.signal });
    return printList(context, limited(records, flags), COLUMNS);
  });
}

function filtersOf(flags: ListFlags): Omit<BatchFilters, 'cursor'> {
  const { status, createdAfter, createdBefore } = flags;
  return {
    limit: pageOf(flags),
    ...(status && { status }),
    ...(createdAfter !== undefined && { created_after: createdAfter }),
    ...(createdBefore !== undefined && { created_before: createdBefore }),
  };
}
