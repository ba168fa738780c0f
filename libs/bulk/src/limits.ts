/** Rows of one batch. */
export const MAX_ROWS = 10_000;

/** The body of a batch, after decompression. */
export const MAX_BYTES = 10_485_760;

/** Faults in a response. All bad rows are counted, and a dry run adds one fault of each further row. */
export const MAX_FAULTS = 1_000;

/** Faults of one row, in a response and in its record. */
export const MAX_ROW_FAULTS = 20;

/** The header of a CSV. It may have twice as many columns as there are options. */
export const MAX_HEADER_BYTES = 65_536;
export const MAX_COLUMNS = 200;

/** One row of a CSV. `html` alone may be 1 MB, and twice that when it consists of quotes. */
export const MAX_ROW_BYTES = 4_194_304;

/** Rows that are checked before other requests get the event loop. */
export const ROWS_AT_ONCE = 50;
