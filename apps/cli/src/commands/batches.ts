import type { BatchFilters, BatchRecord, CaptureRecord, RetrySettings } from '@capture-service/client';
import { Option, type Command } from 'commander';
import { destinationOf, freePathIn } from '../capture/destination.js';
import type { CliContext } from '../context/cli-context.js';
import { CliError } from '../context/cli-error.js';
import { EXIT } from '../context/exit-codes.js';
import { addCommand, addGroup } from '../context/global-options.js';
import { givenOptions } from '../options/given-options.js';
import { addCaptureOptions } from '../options/option-flags.js';
import { factsOf, printList, printRecord, sizeText, write, type Column } from '../terminal/output.js';
import { withProgress } from '../terminal/progress.js';
import { CAPTURE_COLUMNS, minuteOf } from '../terminal/record-text.js';
import { addLimitFlags, limited, pageOf, type LimitFlags } from './limit-flags.js';

const ROW_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'canceled'] as const;

/** Rows in one request. */
const PAGE = 100;

/** `capture batches …`: lists of pages at the service, by the id of their batch. */
export function registerBatches(program: Command, context: CliContext): void {
  const batches = addGroup(
    program,
    'batches',
    'batches of captures: `capture urls.txt -o folder` submits them',
  );
  registerBatchList(batches, context);
  addCommand(batches, 'get <id>', 'the record of a batch').action(async (id: string) =>
    print(context, await context.client().bulk.get(id, { signal: context.signal })),
  );
  addCommand(batches, 'wait <id>', 'wait until a batch has ended; fails if rows failed').action(
    async (id: string) => waitFor(context, id),
  );
  registerResults(batches, context);
  registerDownloads(batches, context);
  addCommand(batches, 'cancel <id>', 'cancel the rows that have not ended; they are not charged').action(
    async (id: string) => print(context, await context.client().bulk.cancel(id, { signal: context.signal })),
  );
  const retry = addCommand(
    batches,
    'retry <id>',
    'capture the failed rows of a batch again, as a new batch; takes all options of a capture',
  );
  addCaptureOptions(retry).action(async (id: string) => {
    // The service checks the options.
    const defaults = (await givenOptions(context, retry)) as NonNullable<RetrySettings['defaults']>;
    const batch = await context.client().bulk.retryFailed(id, { defaults }, { signal: context.signal });
    await print(context, batch);
  });
}

const ROW_COLUMNS: readonly Column<CaptureRecord>[] = [
  { title: 'ROW', of: ({ row }) => row, right: true },
  { title: 'REFERENCE', of: ({ reference }) => reference },
  ...CAPTURE_COLUMNS.filter(({ title }) => !['CREATED', 'SOURCE'].includes(title)),
];

function registerResults(batches: Command, context: CliContext): void {
  addCommand(batches, 'results <id>', 'the records of its rows, also while it runs')
    .addOption(new Option('--status <status>', 'only rows of this status').choices(ROW_STATUSES))
    .action(async (id: string, { status }: { status?: CaptureRecord['status'] }) => {
      const filters = { limit: PAGE, ...(status && { status }) };
      const rows = context.client().bulk.results(id, filters, { signal: context.signal });
      await printList(context, rows, ROW_COLUMNS);
    });
}

interface OutputFlag {
  readonly output?: string;
}

function registerDownloads(batches: Command, context: CliContext): void {
  addCommand(batches, 'download <id>', 'write the results as CSV')
    .option('-o, --output <path>', 'file, folder, or - for standard output')
    .action(async (id: string, { output }: OutputFlag) => {
      const { bulk } = context.client();
      const call = { signal: context.signal };
      if (output === '-') await write(context, (await bulk.download(id, call)).bytes);
      else
        await save(context, await pathOf(output, `batch-${id}.csv`), (path) =>
          bulk.downloadToPath(id, path, call),
        );
    });
  addCommand(batches, 'files <id>', 'write the files of all rows as a zip archive')
    .option('-o, --output <path>', 'file or folder')
    .action(async (id: string, { output }: OutputFlag) => {
      if (output === '-') {
        throw new CliError('The archive may be larger than the memory: -o takes a file, such as all.zip.');
      }
      const path = await pathOf(output, `batch-${id}.zip`);
      await save(context, path, (to) =>
        context.client().bulk.filesToPath(id, to, { signal: context.signal }),
      );
    });
}

async function pathOf(output: string | undefined, name: string): Promise<string> {
  const destination = await destinationOf(output);
  return destination.kind === 'file' ? destination.file : freePathIn(output ?? './', name);
}

async function save(
  context: CliContext,
  path: string,
  download: (path: string) => Promise<{ readonly size: number }>,
): Promise<void> {
  const { size } = await withProgress(context, `writing ${path}`, () => download(path));
  await write(context, `${context.isTTY ? `${path}  ${sizeText(size)}` : path}\n`);
}

async function waitFor(context: CliContext, id: string): Promise<void> {
  const batch = await withProgress(context, `batch ${id}`, (progress) =>
    context
      .client()
      .bulk.wait(
        id,
        { onProgress: (record) => progress.update(`batch ${id}: ${progressText(record)}`) },
        { signal: context.signal },
      ),
  );
  await print(context, batch);
  if (batch.counts.succeeded < batch.total) context.exitCode = EXIT.failed;
}

function progressText({ counts, total, eta_s: etaS }: BatchRecord): string {
  const ended = total - counts.queued - counts.running;
  return `${ended} of ${total} rows, ${counts.failed} failed${etaS === null ? '' : `, ${etaS} s left`}`;
}

function print(context: CliContext, batch: BatchRecord): Promise<void> {
  const { counts } = batch;
  return printRecord(context, batch, () =>
    factsOf([
      ['id', batch.id],
      ['status', batch.status],
      ['rows', batch.total],
      ...Object.entries(counts).filter(([, count]) => count > 0),
      ['rejected', batch.rejected === 0 ? undefined : batch.rejected],
      ['retry of', batch.retry_of],
      ['time left', batch.eta_s === null || batch.eta_s === 0 ? undefined : `${batch.eta_s} s`],
      ['created', batch.created_at],
      ['finished', batch.finished_at],
    ]),
  );
}

const BATCH_STATUSES = ['queued', 'running', 'completed', 'canceled'] as const;

interface ListFlags extends LimitFlags {
  readonly status?: BatchRecord['status'];
  readonly createdAfter?: string;
  readonly createdBefore?: string;
}

const BATCH_COLUMNS: readonly Column<BatchRecord>[] = [
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
function registerBatchList(batches: Command, context: CliContext): void {
  const list = addCommand(batches, 'list', 'batches, newest first')
    .addOption(new Option('--status <status>', 'only batches of this status').choices(BATCH_STATUSES))
    .option('--created-after <time>', 'such as 2026-11-21T00:00:00Z')
    .option('--created-before <time>', 'such as 2026-11-21T00:00:00Z');
  addLimitFlags(list).action((flags: ListFlags) => {
    const records = context.client().bulk.list(filtersOf(flags), { signal: context.signal });
    return printList(context, limited(records, flags), BATCH_COLUMNS);
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
