import type { CaptureOptions } from '@app/capture';
import type { Fault } from '@app/kernel';

/** A row of a batch, held against every rule, whatever it was read from; `row` counts from 1. */
export type CheckedRow = GoodRow | BadRow;

export interface GoodRow {
  readonly row: number;
  readonly options: CaptureOptions;
}

export interface BadRow {
  readonly row: number;
  /** Each with `row`, and with `column` when it is of one. */
  readonly faults: readonly Fault[];
  /** What the row says of itself, for its record; each only if it can be stored. */
  readonly url?: string;
  readonly reference?: string;
}

export function isBad(row: CheckedRow): row is BadRow {
  return 'faults' in row;
}
