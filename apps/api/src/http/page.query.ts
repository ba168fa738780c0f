import { compose, decodeCursor, Text, Whole, type Cursor } from '@app/kernel';
import { TIME_RULE } from './time-rule.js';

/** The fields of every list that is read page by page, newest first. */
export class ListQuery {
  @Whole('Number of items in a page.', { min: 1, max: 100 })
  limit = 20;

  @Text('`next_cursor` of the previous page.', {
    max: 100,
    check: (text: string) => (decodeCursor(text) ? undefined : 'must be the next_cursor of a page'),
  })
  cursor?: string;
}

class CreationFields {
  @Text('Only what was created after this time.', TIME_RULE)
  created_after?: string;

  @Text('Only what was created before this time.', TIME_RULE)
  created_before?: string;
}

/** Those of a list that is also asked for by time. */
export const PageQuery = compose('PageQuery', [CreationFields, ListQuery]);
export type PageQuery = InstanceType<typeof PageQuery>;

/** The times of a query, as the database takes them; exclusive. PostgreSQL accepts fewer offsets than RFC 3339. */
export function creationOf({ created_after: after, created_before: before }: PageQuery): {
  readonly createdAfter: string | undefined;
  readonly createdBefore: string | undefined;
} {
  return { createdAfter: inUtc(after), createdBefore: inUtc(before) };
}

export function pageOf({ limit, cursor }: ListQuery): {
  readonly limit: number;
  readonly cursor: Cursor | undefined;
} {
  return { limit, cursor: cursor === undefined ? undefined : decodeCursor(cursor) };
}

function inUtc(time: string | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}
