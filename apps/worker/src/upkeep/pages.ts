import type { Page } from '@app/jobs';
import { AppError } from '@app/kernel';

/** Rows that one statement reads or changes. */
const PAGE_SIZE = 500;

/**
 * No page is begun after this time: it would delay the steps that follow, and the next run, a minute after this one,
 * continues. A number of pages would leave a service idle for that minute that could delete the rest in a second.
 */
const MAX_MS = 30_000;

/** Concurrent calls to the file store. */
const PARALLEL = 8;

/** Processes a list page by page, up to its end or to the limit of one run. */
export async function inPages<Row>(
  list: (page: Page<Row>) => Promise<Row[]>,
  work: (rows: Row[]) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let after: Row | undefined;
  const begin = performance.now();
  while (!signal.aborted && performance.now() - begin < MAX_MS) {
    const rows = await list({ limit: PAGE_SIZE, after });
    await work(rows);
    after = rows.at(-1);
    if (rows.length < PAGE_SIZE) return;
  }
}

/** The rows for which a call succeeded, and the last error of the others. */
export interface Outcome<Row> {
  readonly done: readonly Row[];
  readonly fault?: Error;
}

/**
 * Calls the file store for each row, several at a time. A row that fails is left to a later run. When all concurrent
 * calls fail the store is probably down, and the remaining rows are not tried.
 */
export async function forEach<Row>(
  rows: readonly Row[],
  each: (row: Row) => Promise<void>,
): Promise<Outcome<Row>> {
  const done: Row[] = [];
  let fault: Error | undefined;
  for (let start = 0; start < rows.length; start += PARALLEL) {
    const some = rows.slice(start, start + PARALLEL);
    const results = await Promise.allSettled(some.map(each));
    done.push(...some.filter((_, i) => results[i]?.status === 'fulfilled'));
    const failed = results.filter((result) => result.status === 'rejected');
    fault = failed[0] ? AppError.from(failed[0].reason) : fault;
    if (failed.length === some.length) break;
  }
  return { done, fault };
}
