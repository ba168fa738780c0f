import { Injectable } from '@nestjs/common';
import type { Fault } from '@app/kernel';
import { EgressGuard } from '@app/outbound';
import type { CheckedRow } from './checked-row.js';
import { readCsv } from './csv-reader.js';
import { readItems } from './item-reader.js';
import type { Reading } from './reading.js';
import { defaultFaults, RowChecker } from './row-checker.js';

/** Reads the rows of batches. */
@Injectable()
export class BatchReaderService {
  constructor(private readonly guard: EgressGuard) {}

  /** The faults of what is to hold for every row that does not say otherwise; `pointer` leads to it. */
  defaultFaults(defaults: unknown, pointer: string): Fault[] {
    return defaultFaults(this.guard, defaults, pointer);
  }

  /** See `readCsv`; the defaults have no faults. */
  csv(body: AsyncIterable<Buffer>, how: Omit<Reading, 'checker'>): AsyncIterable<CheckedRow> {
    return readCsv(body, { ...how, checker: new RowChecker(this.guard, how.defaults) });
  }

  /** See `readItems`; the defaults have no faults. */
  items(items: readonly unknown[], how: Omit<Reading, 'checker'>): AsyncIterable<CheckedRow> {
    return readItems(items, { ...how, checker: new RowChecker(this.guard, how.defaults) });
  }
}
