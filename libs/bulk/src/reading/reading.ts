import type { Given, RowChecker } from './row-checker.js';

/** How the rows of one batch are read. */
export interface Reading {
  readonly checker: RowChecker;
  readonly defaults: Given;
  /** Told of what each row says, valid or not: two bodies that say the same are the same request. */
  readonly note?: (written: unknown) => void;
}
