import type { CaptureFilters, CaptureRecord } from '@capture-service/client';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { CliContext } from '../cli-context.js';

/** The flags that choose captures of the history. */
export interface HistoryFlags {
  readonly status?: CaptureFilters['status'];
  readonly source?: CaptureFilters['source'];
  readonly format?: CaptureFilters['format'];
  readonly verdict?: CaptureFilters['verdict'];
  readonly changed?: boolean;
  readonly hasError?: boolean;
  readonly host?: string;
  readonly reference?: string;
  readonly batchId?: string;
  readonly createdAfter?: string;
  readonly createdBefore?: string;
  readonly limit?: number;
  readonly all?: boolean;
}

const DEFAULT_LIMIT = 20;
/** The most that the service returns at once. */
const PAGE = 100;

const time = 'such as 2026-11-21T00:00:00Z';

function filters(): Option[] {
  return [
    new Option('--status <status>', 'queued, running, succeeded, failed or canceled'),
    new Option('--source <source>', 'sync, job or batch'),
    new Option('--format <format>', 'format of the first file'),
    new Option('--verdict <verdict>', 'page, blank, bot_wall, login_wall or error_page'),
    new Option('--changed', 'only captures that were compared and have changed'),
    new Option('--no-changed', 'only captures that were compared and have not changed'),
    new Option('--has-error', 'only captures that failed'),
    new Option('--no-has-error', 'only captures that did not fail'),
    new Option('--host <host>', 'host of the page, such as example.com'),
    new Option('--reference <text>', 'the tag that --reference gave it'),
    new Option('--batch-id <id>', 'rows of a batch'),
    new Option('--created-after <time>', time),
    new Option('--created-before <time>', time),
    new Option('--limit <n>', `at most so many (default: ${DEFAULT_LIMIT})`).argParser(countOf),
    new Option('--all', 'all of them').conflicts('limit'),
  ];
}

/** Adds the flags that filter, without those named. The service checks their values. */
export function addHistoryFilters(command: Command, without: readonly string[] = []): Command {
  for (const option of filters()) {
    if (!without.includes(option.name())) command.addOption(option.helpGroup('Filters:'));
  }
  return command;
}

/** The captures that the flags choose, newest first. They are requested as far as they are read. */
export async function* listHistory(context: CliContext, flags: HistoryFlags): AsyncGenerator<CaptureRecord> {
  let left = flags.all ? Infinity : (flags.limit ?? DEFAULT_LIMIT);
  const records = context
    .client()
    .captures.list(queryOf(flags, Math.min(PAGE, left)), { signal: context.signal });
  for await (const record of records) {
    yield record;
    if (--left <= 0) return;
  }
}

function queryOf(flags: HistoryFlags, limit: number): Omit<CaptureFilters, 'cursor'> {
  const { status, source, format, verdict, changed, host, reference } = flags;
  const query = {
    ...{ status, source, format, verdict, changed, host, reference, limit },
    has_error: flags.hasError,
    batch_id: flags.batchId,
    created_after: flags.createdAfter,
    created_before: flags.createdBefore,
  };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
}

function countOf(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('It takes a whole number from 1.');
  return Number(text);
}
