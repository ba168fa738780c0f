import { AppError } from '@app/kernel';

/** Rows of one batch. */
export const MAX_ROWS = 10_000;

/** The body of a batch, after decompression. */
export const MAX_BYTES = 10_485_760;

/** Faults in a response. A dry run adds one fault of each further row. */
export const MAX_FAULTS = 1_000;

/**
 * A batch that must have no bad row is refused at so many: nobody corrects more at a time, and checking more would only cost. A
 * dry run checks all rows.
 */
export const MAX_BAD_ROWS = 100;

/** Faults of one row, in a response and in its record. */
export const MAX_ROW_FAULTS = 20;

/** The header of a CSV. It may have twice as many columns as there are options. */
export const MAX_HEADER_BYTES = 65_536;
export const MAX_COLUMNS = 200;

/** One row of a CSV, with its separators and quotes. `html` alone may be 1 MB, and three times that in Chinese. */
export const MAX_ROW_BYTES = 4_194_304;

/** Lines of a CSV without a byte. More are no table. */
export const MAX_BLANK_LINES = 100_000;

/** Values in a cell that is a list or an object, as in the JSON of one capture. */
export const MAX_CELL_VALUES = 5_000;

/** Rows that are checked before other requests get the event loop. */
export const ROWS_AT_ONCE = 50;

/** The error of a batch with more rows than a batch may have. */
export function tooManyRows(): AppError {
  return new AppError('payload_too_large', { detail: `A batch has up to ${MAX_ROWS} rows.` });
}
