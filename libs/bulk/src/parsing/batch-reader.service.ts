import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DefaultOptions } from '@app/capture';
import type { Fault } from '@app/kernel';
import { EgressGuard } from '@app/outbound';
import { ROWS_AT_ONCE } from '../limits.js';
import { readCsv } from './csv-reader.js';
import {
  defaultFaults,
  RowChecker,
  type CheckedRow,
  type ReadOptions,
  type SenderFaults,
} from './row-checker.js';

/** How rows are read, and whose they are. */
export type RowSource = Omit<ReadOptions, 'checker'> & { readonly senderFaults?: SenderFaults };

/** Parses and validates the rows of batches. */
@Injectable()
export class BatchReaderService {
  constructor(
    private readonly guard: EgressGuard,
    private readonly operator: DefaultOptions,
  ) {}

  /** The faults of options that apply to every row which does not set them; `pointer` leads to them. */
  defaultFaults(defaults: unknown, pointer: string): Fault[] {
    return defaultFaults(this.guard, defaults, pointer);
  }

  /** See `readCsv`. The defaults have no faults. */
  csv(body: AsyncIterable<Buffer>, options: RowSource): AsyncIterable<CheckedRow> {
    return readCsv(body, { ...options, checker: this.checkerOver(options) });
  }

  /** See `readItems`. The defaults have no faults. */
  items(items: Iterable<unknown>, options: RowSource): AsyncIterable<CheckedRow> {
    return readItems(items, { ...options, checker: this.checkerOver(options) });
  }

  private checkerOver({ defaults, senderFaults }: RowSource): RowChecker {
    return new RowChecker(this.guard, defaults, {
      operator: this.operator,
      ...(senderFaults && { senderFaults }),
    });
  }
}

/** The items of a JSON body, validated. */
export async function* readItems(
  items: Iterable<unknown>,
  { checker, onRow }: ReadOptions,
): AsyncGenerator<CheckedRow, void, undefined> {
  let row = 0;
  for (const item of items) {
    if (++row % ROWS_AT_ONCE === 0) await setImmediate();
    onRow?.(item);
    yield checker.check({ row, item: `/items/${row - 1}` }, item);
  }
}
