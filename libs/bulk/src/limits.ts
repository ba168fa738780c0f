/** Rows of one batch. */
export const MAX_ROWS = 10_000;

/** The body of a batch, after decompression. */
export const MAX_BYTES = 10_485_760;

/** Faults that are told; all are counted. */
export const MAX_FAULTS = 1_000;
