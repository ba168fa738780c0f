import type { Page } from '@app/jobs';
import { AppError } from '@app/kernel';

/** Rows that one statement reads or changes. */
const PAGE_SIZE = 500;

/** More in one round would keep all other upkeep of its kind waiting; the next round goes on. */
const MAX_PAGES = 20;

/** Calls to the store at the same time. */
const AT_ONCE = 8;

/** Works through a list page by page, to its end, or as far as one round goes. */
export async function inPages<Row>(
  list: (page: Page<Row>) => Promise<Row[]>,
  work: (rows: Row[]) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let after: Row | undefined;
  for (let page = 0; page < MAX_PAGES && !signal.aborted; page++) {
    const rows = await list({ limit: PAGE_SIZE, after });
    await work(rows);
    after = rows.at(-1);
    if (rows.length < PAGE_SIZE) return;
  }
}

/** What became of `each`: those for which it succeeded, and why it did not for the last of the others. */
export interface Outcome<Row> {
  readonly done: readonly Row[];
  readonly fault?: Error;
}

/**
 * Does something with the store for each row. One that fails is left to a later round; where several in a row fail, so
 * will the rest, and they are not tried.
 */
export async function forEach<Row>(
  rows: readonly Row[],
  each: (row: Row) => Promise<void>,
): Promise<Outcome<Row>> {
  const done: Row[] = [];
  let fault: Error | undefined;
  for (let start = 0; start < rows.length; start += AT_ONCE) {
    const some = rows.slice(start, start + AT_ONCE);
    const results = await Promise.allSettled(some.map(each));
    done.push(...some.filter((_, i) => results[i]?.status === 'fulfilled'));
    const failed = results.filter((result) => result.status === 'rejected');
    fault = failed[0] ? AppError.from(failed[0].reason) : fault;
    if (failed.length === some.length) break;
  }
  return { done, fault };
}
