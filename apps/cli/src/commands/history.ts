import type { CaptureFilters, CaptureRecord } from '@capture-service/client';
import { Option, type Command } from 'commander';
import type { CliContext } from '../context/cli-context.js';
import { limited, limitFlags, pageOf, type LimitFlags } from './limit-flags.js';

/** The flags that choose captures of the history. */
export interface HistoryFlags extends LimitFlags {
  readonly status?: CaptureFilters['status'];
  readonly source?: CaptureFilters['source'];
  readonly format?: CaptureFilters['format'];
  readonly verdict?: CaptureFilters['verdict'];
  readonly changed?: boolean;
  readonly hasError?: boolean;
  readonly host?: string;
  readonly reference?: string;
  readonly search?: string;
  readonly batchId?: string;
  readonly createdAfter?: string;
  readonly createdBefore?: string;
}

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
    new Option('--search <text>', 'text that the URL or the title contains'),
    new Option('--batch-id <id>', 'rows of a batch'),
    new Option('--created-after <time>', time),
    new Option('--created-before <time>', time),
    ...limitFlags(),
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
export function listHistory(context: CliContext, flags: HistoryFlags): AsyncGenerator<CaptureRecord> {
  const query = queryOf(flags, pageOf(flags));
  return limited(context.client().captures.list(query, { signal: context.signal }), flags);
}

function queryOf(flags: HistoryFlags, limit: number): Omit<CaptureFilters, 'cursor'> {
  const { status, source, format, verdict, changed, host, reference, search } = flags;
  const query = {
    status,
    source,
    format,
    verdict,
    changed,
    host,
    reference,
    search,
    limit,
    has_error: flags.hasError,
    batch_id: flags.batchId,
    created_after: flags.createdAfter,
    created_before: flags.createdBefore,
  };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
}
