/**
 * The SQL that searches a text in the history of an account. The text may stand anywhere in a URL or a title. An index of the
 * parts of texts would find it, but would cost every capture many index entries each time its row changes, for a search that
 * people make now and then. So the rows that the other filters find are read, newest first, up to SEARCHED_ROWS of them. A page
 * that ends there has fewer captures than were requested, maybe none, and the next one goes on behind the last row that was read.
 */
import { pageQuery, type JobFilter, type PageQuery, type PageRequest } from './history-page.js';

/** The filter of a list of jobs, and the text that their URL or title must contain, in any case. */
export interface JobSearch extends JobFilter {
  /** Not `text`: a parameter of this name would replace the type in `::text`. */
  readonly contains?: string;
}

/** The rows that one page of a search reads. They take about 50 ms. */
export const SEARCHED_ROWS = 5_000;

/** A row that a search returns. */
export interface SearchedRow {
  readonly id: string;
  readonly created_at: Date;
  /** False for the last row that was read, if there may be more behind it. */
  readonly is_match: boolean;
}

/** Returns the query for at most `limit` matches, newest first, and the row where the search ended. */
export function searchQuery(
  accountId: string,
  { contains = '', ...filter }: JobSearch,
  { limit, cursor }: PageRequest,
): PageQuery {
  const { sql, parameters } = pageQuery(accountId, filter, { limit: SEARCHED_ROWS, cursor });
  return {
    sql: `
      WITH searched AS MATERIALIZED (SELECT id, created_at, url, title FROM jobs WHERE id = ANY(ARRAY(${sql})))
      (SELECT id, created_at, true AS is_match FROM searched
        WHERE strpos(lower(url), lower(:contains)) > 0 OR strpos(lower(title), lower(:contains)) > 0
        ORDER BY created_at DESC, id DESC LIMIT :matches)
      UNION ALL
      (SELECT id, created_at, false FROM searched WHERE (SELECT count(*) FROM searched) = :rows
        ORDER BY created_at, id LIMIT 1)`,
    parameters: { ...parameters, contains, matches: limit },
  };
}
