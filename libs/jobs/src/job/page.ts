/** The rows that one step of a walk through a table reads: at most `limit`, after the last row of the step before. */
export interface Page<T> {
  readonly limit: number;
  readonly after?: T;
}

/** Come before the time and the id of every row. */
export const EPOCH = '1970-01-01T00:00:00Z';
export const NIL = '00000000-0000-0000-0000-000000000000';
