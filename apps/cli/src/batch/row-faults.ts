import type { FieldError } from '@capture-service/client';
import { tableOf, type Column } from '../terminal/output.js';
import { nameOf, type SourceRow } from './source-rows.js';

const MAX_SHOWN = 20;

/** The service lists the faults up to this number. */
const MAX_LISTED = 1_000;

/** A fault of a list, and where it is in its file. */
export interface RowFault {
  readonly fault: FieldError;
  /** Undefined for a fault of the header, or of an option of all rows. */
  readonly source: SourceRow | undefined;
  /** The line of a fault of the header. */
  readonly line: number | undefined;
}

/** @param rows those that were submitted, in their order */
export function placedFaults(faults: readonly FieldError[], rows: readonly SourceRow[]): RowFault[] {
  const [first] = rows;
  return faults.map((fault) => {
    const source = fault.row === undefined ? undefined : rows[fault.row - 1];
    const header = first?.kind === 'csv' && fault.column !== undefined ? first.header.line : fault.line;
    return { fault, source, line: source ? source.line : header };
  });
}

/** The faults with the rows and lines of the list, for a program. */
export function faultFacts(faults: readonly RowFault[]): readonly object[] {
  return faults.map(({ fault, source, line }) => ({
    ...fault,
    ...(source && { row: source.row, file: source.file }),
    line,
  }));
}

/** A table of the first faults, and how many there are more. A narrow terminal wraps it: each message is needed in full. */
export function faultTable(faults: readonly RowFault[], isPartial: boolean): string {
  const files = new Set(faults.map(({ source }) => source?.file));
  const columns = files.size > 1 ? [FILE, ...COLUMNS] : COLUMNS;
  const table = tableOf(faults.slice(0, MAX_SHOWN), columns);
  const others = faults.length - MAX_SHOWN;
  if (others <= 0) return table;
  return `${table}\n… and ${isPartial || faults.length >= MAX_LISTED ? 'at least ' : ''}${others} more`;
}

const FILE: Column<RowFault> = { title: 'FILE', of: ({ source }) => source && nameOf({ name: source.file }) };

const COLUMNS: readonly Column<RowFault>[] = [
  { title: 'LINE', of: ({ line }) => line, right: true },
  { title: 'ROW', of: ({ source }) => source?.row, right: true },
  {
    title: 'COLUMN',
    of: ({ fault: { column, pointer } }) => column ?? (pointer.replace(/^\//, '') || undefined),
  },
  { title: 'MESSAGE', of: ({ fault: { detail } }) => detail },
];
