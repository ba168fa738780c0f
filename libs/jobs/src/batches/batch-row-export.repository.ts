import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { selectFiles, type StoredFile } from '../job/capture-files.js';

/** Rows of one statement. A row is half a kilobyte, at worst a few. Each download holds two or three pages. */
const PAGE_ROWS = 500;

/** What an export says of a row. Times are RFC 3339 with milliseconds. */
export interface ExportedRow {
  readonly row: number;
  readonly id: string;
  readonly reference: string | null;
  readonly url: string | null;
  readonly final_url: string | null;
  readonly status: string;
  readonly http_status: number | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly attempts: number;
  readonly format: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly bytes: number | null;
  readonly sha256: string | null;
  readonly title: string | null;
  readonly queue_ms: number | null;
  readonly total_ms: number | null;
  /** Whether the file can be downloaded. */
  readonly has_file: boolean;
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly finished_at: string | null;
}

/** Rows of one statement for their files: those of the next page are read only when the last of these has been sent. */
const PAGE_ROWS_WITH_FILES = 100;

/** A stored file of a row. */
export type RowFile = Pick<StoredFile, 'name' | 'format' | 'key' | 'bytes'>;

/** A row whose files can be downloaded. */
export interface RowWithFiles {
  readonly row: number;
  readonly reference: string | null;
  readonly host: string | null;
  readonly finishedAt: Date;
  /** In the order of its outputs. */
  readonly files: readonly RowFile[];
}

/**
 * Reads all rows of a batch: only the columns of an export, and no entities.
 *
 * Each page is a statement of its own. A server-side cursor would need a transaction for as long as the slowest client
 * reads: a client that stops reading would keep a connection of the pool busy, and vacuum from the busiest table. The
 * price is that rows are as they are when their page is read, not all as of one moment.
 */
@Injectable()
export class BatchRowExportRepository {
  constructor(private readonly source: DataSource) {}

  /** In row order; a page may be empty. */
  async *pages(batchId: string): AsyncGenerator<ExportedRow[]> {
    const last = await this.readLastRow(batchId);
    let ahead: Promise<ExportedRow[]> | undefined;
    for (let first = 1; first <= last; first += PAGE_ROWS) {
      const page = await (ahead ?? this.read(batchId, first));
      const next = first + PAGE_ROWS;
      // The database reads the next page while this one is written.
      ahead = next <= last ? this.read(batchId, next) : undefined;
      // A client that stops reading never awaits it, and an unhandled rejection would end the process.
      ahead?.catch(() => undefined);
      yield page;
    }
  }

  /** The rows that have files, in row order. A page is read only when it is needed, so that its rows are not outdated. */
  async *files(batchId: string): AsyncGenerator<RowWithFiles> {
    const last = await this.readLastRow(batchId);
    for (let first = 1; first <= last; first += PAGE_ROWS_WITH_FILES) {
      const parameters = [batchId, first, first + PAGE_ROWS_WITH_FILES - 1];
      yield* await this.source.query<RowWithFiles[]>(READ_FILES, parameters);
    }
  }

  /** Rows are never added. A batch of retried rows keeps their numbers, so it may have fewer rows than this. */
  private async readLastRow(batchId: string): Promise<number> {
    const [{ last } = { last: 0 }] = await this.source.query<{ last: number }[]>(
      `SELECT coalesce(max(batch_row), 0) AS last FROM jobs WHERE batch_id = $1`,
      [batchId],
    );
    return last;
  }

  private read(batchId: string, first: number): Promise<ExportedRow[]> {
    return this.source.query(READ, [batchId, first, first + PAGE_ROWS - 1]);
  }
}

// As toISOString() writes it: a Date would cost more than the rest of the row.
const iso = (time: string) =>
  `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS ${time}`;

/**
 * A page is a range of row numbers, not a LIMIT after the last row: the planner has no statistics of a new batch, takes
 * it for small, and would sort the whole rest of it for each page.
 */
const READ = `
  SELECT batch_row AS row, id, reference, url, final_url, status, http_status, error_code,
         error->>'detail' AS error_message, attempt - waits AS attempts, format, width, height, CASE status WHEN 'succeeded' THEN bytes END AS bytes,
         CASE status WHEN 'succeeded' THEN sha256 END AS sha256, title, queue_ms,
         total_ms, status = 'succeeded' AND result_key IS NOT NULL AND deleted_at IS NULL AS has_file,
         ${iso('expires_at')}, ${iso('created_at')}, ${iso('finished_at')}
    FROM jobs WHERE batch_id = $1 AND batch_row BETWEEN $2 AND $3 AND NOT record_deleted ORDER BY batch_row`;

/** Without the options, which may hold a page of a megabyte. */
const READ_FILES = `
  SELECT batch_row AS row, reference, host, finished_at AS "finishedAt", ${selectFiles('jobs')} AS files
    FROM jobs
   WHERE batch_id = $1 AND batch_row BETWEEN $2 AND $3 AND status = 'succeeded' AND result_key IS NOT NULL
     AND deleted_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp())
   ORDER BY batch_row`;
