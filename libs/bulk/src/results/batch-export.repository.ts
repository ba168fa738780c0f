import { Injectable } from '@nestjs/common';
import { captureResultPath } from '@app/jobs';
import { DataSource } from 'typeorm';
import { RESULT_COLUMNS, type ResultColumn, type ResultRow } from './results-csv.js';

/** Rows of one statement; a row is half a kilobyte, at worst a few. Each download holds two or three pages. */
const PAGE_ROWS = 500;

/**
 * What became of the rows of a batch, for its results CSV: only its columns, and no entities.
 *
 * Each page is a statement of its own. A cursor of the server would need a transaction for as long as the slowest client
 * reads: one that stops reading would keep a connection of the pool, and every dead row of the busiest table, from being
 * used again. The price is that rows are as they are when their page is read, and not all as of one moment.
 */
@Injectable()
export class BatchExportRepository {
  constructor(private readonly source: DataSource) {}

  /** In row order; a page may be empty. */
  async *pages(batchId: string): AsyncGenerator<ResultRow[]> {
    const last = await this.lastRow(batchId);
    let ahead: Promise<ResultRow[]> | undefined;
    for (let first = 1; first <= last; first += PAGE_ROWS) {
      const page = await (ahead ?? this.read(batchId, first));
      const next = first + PAGE_ROWS;
      // The database works while this page is written.
      ahead = next <= last ? this.read(batchId, next) : undefined;
      // Whoever stops reading never asks for it, and a fault that nobody hears of ends the process.
      ahead?.catch(() => undefined);
      yield page;
    }
  }

  /** Rows are never added, and those of a repeated batch keep their numbers: there may be fewer of them than this. */
  private async lastRow(batchId: string): Promise<number> {
    const [{ last } = { last: 0 }] = await this.source.query<{ last: number }[]>(
      `SELECT coalesce(max(batch_row), 0) AS last FROM jobs WHERE batch_id = $1`,
      [batchId],
    );
    return last;
  }

  private read(batchId: string, first: number): Promise<ResultRow[]> {
    return this.source.query(READ, [batchId, first, first + PAGE_ROWS - 1]);
  }
}

// As toISOString() writes it: read as a Date it would cost more than all else of the row.
const iso = (time: string) => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The path as an SQL expression: the id is concatenated where it stands. */
const RESULT_PATH = `'${captureResultPath(`' || id || '`)}'`;

/** The columns that are not those of the table as they are. */
const SOURCES: Partial<Record<ResultColumn, string>> = {
  row: 'batch_row',
  error_message: `error->>'detail'`,
  attempts: 'attempt',
  result_url: `CASE WHEN result_key IS NOT NULL AND deleted_at IS NULL THEN ${RESULT_PATH} END`,
  expires_at: iso('expires_at'),
  created_at: iso('created_at'),
  finished_at: iso('finished_at'),
};

/**
 * A range of numbers, and not so many rows behind the last one: of a batch that is new the planner has no statistics,
 * takes it for small and would sort all that is left of it for each page.
 */
const READ = `
  SELECT ${RESULT_COLUMNS.map((name) => `${SOURCES[name] ?? name} AS "${name}"`).join(', ')}
    FROM jobs WHERE batch_id = $1 AND batch_row BETWEEN $2 AND $3 AND NOT record_deleted ORDER BY batch_row`;
