/**
 * The SQL that searches a text in the history of an account. The text may stand anywhere in a URL or a title. An index of the
 * parts of texts would find it, but would cost every capture many index entries each time its row changes, for a search that
 * people make now and then. So the history is read, newest first, and at most SEARCHED_ROWS of it for one page. A page that ends
 * there has fewer captures than were requested, maybe none, and the next one goes on behind the last row that was read.
 *
 * The other filters are applied to the rows that were read. Their own indexes (kinds.ts) are for the few rows of a page: for
 * thousands of rows the planner reads the whole history for each of more than a hundred kinds.
 */
import { conditionsOf, pageQuery, type JobFilter, type PageQuery, type PageRequest } from './history-page.js';

/** The filter of a list of jobs, and the text that their URL or title must contain, in any case. */
export interface JobSearch extends JobFilter {
  /** Not `text`: a parameter of this name would replace the type in `::text`. */
  readonly contains?: string;
}

/** The rows that one page of a search reads. */
export const SEARCHED_ROWS = 5_000;

/** A row that a search returns. */
export interface SearchedRow {
  readonly id: string;
  readonly created_at: Date;
  /** False for the last row that was read, if there may be more behind it. */
  readonly is_match: boolean;
}

const CONTAINS = '(strpos(lower(url), lower(:contains)) > 0 OR strpos(lower(title), lower(:contains)) > 0)';

/** Returns the query for at most `limit` matches, newest first, and the row where the search ended. */
export function searchQuery(
  accountId: string,
  { contains = '', batchId, idempotencyKey, createdAfter, createdBefore, ...others }: JobSearch,
  { limit, cursor }: PageRequest,
): PageQuery {
  const read = pageQuery(
    accountId,
    { batchId, idempotencyKey, createdAfter, createdBefore },
    { limit: SEARCHED_ROWS, cursor },
  );
  return {
    sql: `
      WITH searched AS MATERIALIZED (
        SELECT id, created_at, url, title, status, source, format, host, reference, verdict, changed
          FROM jobs WHERE id = ANY(ARRAY(${read.sql})))
      (SELECT id, created_at, true AS is_match FROM searched WHERE ${[CONTAINS, ...conditionsOf(others)].join(' AND ')}
        ORDER BY created_at DESC, id DESC LIMIT :matches)
      UNION ALL
      (SELECT id, created_at, false FROM searched WHERE (SELECT count(*) FROM searched) = :rows
        ORDER BY created_at, id LIMIT 1)`,
    parameters: { ...read.parameters, ...others, contains, matches: limit },
  };
}
