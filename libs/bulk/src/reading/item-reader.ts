import { setImmediate } from 'node:timers/promises';
import { ROWS_AT_ONCE } from '../limits.js';
import type { CheckedRow } from './checked-row.js';
import type { Reading } from './reading.js';

/** The items of a JSON body, checked. */
export async function* readItems(
  items: readonly unknown[],
  { checker, note }: Reading,
): AsyncGenerator<CheckedRow, void, undefined> {
  for (const [i, item] of items.entries()) {
    const row = i + 1;
    if (row % ROWS_AT_ONCE === 0) await setImmediate();
    note?.(item);
    yield checker.check({ row, item: `/items/${i}` }, item);
  }
}
