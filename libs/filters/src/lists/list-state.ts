import type { FilterKind } from '../filter-set.js';

/** A list as `/readyz` and `GET /v1/version` show it. */
export interface ListState {
  readonly name: string;
  readonly kind: FilterKind;
  /** When the list was last changed, as it says itself, else when it was downloaded; ISO 8601. */
  readonly date: string | null;
  readonly rules: number;
}

export interface ListsState {
  readonly lists: readonly ListState[];
  /** Why lists are missing, or older than they should be. */
  readonly errors: readonly string[];
}
