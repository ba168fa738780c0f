import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { RESULT_COLUMNS, type ResultColumn, type ResultRow } from './results-csv.js';

/** Rows of one statement. Two pages are held for each download at most; a row is half a kilobyte, at worst a few. */
const PAGE_ROWS = 500;

/**
 * What became of the rows of a batch, for its results CSV: only its columns, and no entities.
 *
 * Each page is a statement of its own, which starts in the index of the batch behind the last row. A cursor of the
 * server would need a transaction for as long as the slowest client reads: one that stops reading would keep a
 * connection of the pool, and every dead row of the busiest table, from being used again. The price is that rows are as
 * they are when their page is read, and not all as of one moment.
 */
@Injectable()
export class BatchExport {
  constructor(private readonly source: DataSource) {}

  /** In row order; the first page may be empty. */
  async *pages(batchId: string): AsyncGenerator<ResultRow[]> {
    let next: Promise<ResultRow[]> | undefined = this.read(batchId, 0);
    while (next) {
      const page: ResultRow[] = await next;
      const last = page.length < PAGE_ROWS ? undefined : page.at(-1);
      // Read ahead: the database works while this page is written.
      next = last && this.read(batchId, last.row);
      // Who stops reading never asks for it: its fault would be nobody's, which ends the process.
      next?.catch(() => undefined);
      yield page;
    }
  }

  private read(batchId: string, afterRow: number): Promise<ResultRow[]> {
    return this.source.query(READ, [batchId, afterRow, PAGE_ROWS]);
  }
}

const SOURCES: Partial<Record<ResultColumn, string>> = {
  row: 'batch_row',
  error_message: `error->>'detail'`,
  attempts: 'attempt',
  result_url: `CASE WHEN result_key IS NOT NULL THEN '/v1/captures/' || id || '/result' END`,
};

const READ = `
  SELECT ${RESULT_COLUMNS.map((name) => `${SOURCES[name] ?? name} AS "${name}"`).join(', ')}
    FROM jobs WHERE batch_id = $1 AND batch_row > $2 ORDER BY batch_row LIMIT $3`;
