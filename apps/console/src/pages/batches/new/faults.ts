import { CaptureError, type BatchVerdict, type FieldError } from '@capture-service/client';
import type { BatchSource } from './sources.js';

/** What is wrong with a cell of a row. */
export interface RowFault {
  readonly row: number;
  readonly line: number | undefined;
  readonly column: string;
  /** The value in the row, if it has one. */
  readonly value: string;
  readonly code: string;
  readonly detail: string;
}

/** The faults of rows, in their order. */
export function rowFaults(
  errors: readonly FieldError[],
  valueOf: (row: number, column: string) => string,
): RowFault[] {
  return errors.flatMap(({ row, line, column, pointer, code, detail }) => {
    if (row === undefined) return [];
    const name = column ?? pointer.replace(/^\//, '');
    return [{ row, line, column: name, value: valueOf(row, name), code, detail }];
  });
}

/** The value of a row in the column that has this name, which may be the name after mapping. */
export function cellReader(
  source: BatchSource,
  names: readonly (string | null)[],
): (row: number, column: string) => string {
  if (source.kind === 'csv') {
    return (row, column) => source.table?.rows[row - 1]?.[names.indexOf(column)] ?? '';
  }
  return (row, column) => textOf((source.items[row - 1] as Record<string, unknown> | undefined)?.[column]);
}

export function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The faults of the header by column name. They refuse the file as a whole. */
export function columnFaults(error: unknown): ReadonlyMap<string, string> {
  const errors = error instanceof CaptureError ? error.errors : [];
  return new Map(
    errors.flatMap(({ row, column, detail }) =>
      row === undefined && column !== undefined ? [[column, detail] as const] : [],
    ),
  );
}

/** Faults whose row, column, value, code or text contain the words. */
export function matching(faults: readonly RowFault[], words: string): readonly RowFault[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === '') return faults;
  return faults.filter(({ row, column, value, code, detail }) =>
    [String(row), column, value, code, detail].some((text) => text.toLowerCase().includes(wanted)),
  );
}

/** What submitting would cost, and what is left. */
export function costText({ allowance: { needed, available } }: BatchVerdict): string {
  const whole = new Intl.NumberFormat('en-US');
  return `Uses ${whole.format(needed)} of ${whole.format(available)} units left.`;
}
