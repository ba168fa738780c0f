import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { FACT_COLUMNS } from '@app/capture';
import { DatabaseService } from '@app/database';
import { newId } from '@app/kernel';
import { DataSource } from 'typeorm';
import type { TestDatabase } from '../../../../test/support/database.js';
import { startJobs } from '../../../../test/support/jobs.js';
import type { StartedModules } from '../../../../test/support/modules.js';
import { CachedAnswerRepository } from '../cache/cached-answer.repository.js';
import { JobDeletionModule } from '../history/job-deletion.module.js';
import { JobDeletionRepository } from '../history/job-deletion.repository.js';
import { Job } from './job.entity.js';

/** The fate of a column: it stays, is emptied, gets a value of its own, or the value of the capture that answers. */
type Fate = 'kept' | 'emptied' | 'set' | 'copied';

/**
 * The fate of each column when a caller deletes the capture, and when a capture of the cache answers the job. That of a fact
 * follows from its definition. Any other new column needs an entry: what a caller wrote is emptied by a deletion.
 */
const FATES: Readonly<Record<string, readonly [deleted: Fate, answered: Fate]>> = {
  ...each(['id', 'account_id', 'source', 'format', 'other_extensions', 'timeout_ms'], ['kept', 'kept']),
  ...each(['usage_period', 'attempt', 'worker_id', 'lease_until', 'failures', 'losses'], ['kept', 'kept']),
  ...each(['priority', 'needs', 'waits'], ['kept', 'kept']),
  ...each(['batch_id', 'batch_row', 'default_names', 'cancel_reason', 'error_code'], ['kept', 'kept']),
  ...each(['timings', 'queue_ms', 'total_ms', 'created_at', 'started_at', 'dispatched_at'], ['kept', 'kept']),
  ...each(['reference', 'url', 'host', 'webhook_url', 'request_id', 'trace_context'], ['emptied', 'kept']),
  ...each(['options', 'capture_key', 'cache_key'], ['emptied', 'kept']),
  ...each(['error', 'deleted_at', 'record_deleted'], ['set', 'kept']),
  ...each(FACT_COLUMNS.filter(({ isErased }) => isErased).map(nameOf), ['emptied', 'copied']),
  ...each(FACT_COLUMNS.filter(({ isErased }) => !isErased).map(nameOf), ['kept', 'copied']),
  ...each(['content_type', 'bytes', 'total_bytes', 'origin_id'], ['kept', 'copied']),
  ...each(['sha256', 'other_files'], ['emptied', 'copied']),
  // Another row owns a file that is shared; the key of one that is not stays until the file is deleted.
  result_key: ['emptied', 'copied'],
  secrets: ['emptied', 'emptied'],
  status: ['kept', 'copied'],
  ...each(['finished_at', 'cache_status', 'cache_age_s'], ['kept', 'set']),
  follows_id: ['kept', 'emptied'],
  expires_at: ['set', 'set'],
};

/** Columns whose values have a meaning for the two moves. */
const CAPTURE = {
  status: 'succeeded',
  source: 'job',
  cache_status: 'hit',
  deleted_at: null,
  record_deleted: false,
};
const FUTURE = '2100-01-01T00:00:00Z';

type Row = Readonly<Record<string, unknown>>;

describe('the columns of jobs', () => {
  let service: StartedModules;
  let database: TestDatabase;
  let accountId: string;
  let types: ReadonlyMap<string, string>;
  let nullable: ReadonlySet<string>;
  let capture: Row;

  beforeAll(async () => {
    service = await startJobs({ imports: [JobDeletionModule] });
    database = service.database;
    accountId = await database.addAccount();
    const { rows } = await database.query<{ name: string; type: string; nullable: boolean }>(
      `SELECT column_name AS name, data_type AS type, is_nullable = 'YES' AS nullable
         FROM information_schema.columns WHERE table_name = 'jobs'`,
    );
    types = new Map(rows.map(({ name, type }) => [name, type]));
    nullable = new Set(rows.filter((row) => row.nullable).map(nameOf));
  });

  afterAll(() => service.close());

  beforeEach(async () => {
    capture = await add(1, { ...CAPTURE, expires_at: FUTURE });
  });

  /** Adds a row that has a value in every column, which differs from those of rows with another number. */
  const add = async (number: number, given: Row): Promise<Row> => {
    const values = [...types].map(([name, type]) => [name, valueOf(type, name, number)]);
    const row = { ...Object.fromEntries(values), id: newId(), account_id: accountId, ...given };
    const columns = Object.keys(row);
    const { rows } = await database.query<{ row: Row }>(
      `INSERT INTO jobs AS job (${columns.join(', ')}) SELECT ${columns.join(', ')}
         FROM json_populate_record(NULL::jobs, $1) RETURNING to_jsonb(job) AS row`,
      [JSON.stringify(row)],
    );
    return rows[0]?.row ?? {};
  };
  const read = async ({ id }: Row): Promise<Row> => {
    const { rows } = await database.query<{ row: Row }>(
      `SELECT to_jsonb(job) AS row FROM jobs AS job WHERE id = $1`,
      [id],
    );
    return rows[0]?.row ?? {};
  };
  const fatesIn = (before: Row, after: Row, answer: Row = {}): unknown =>
    Object.fromEntries(
      [...types.keys()].map((name) => [name, fateOf(before[name], after[name], answer[name])]),
    );
  const expected = (which: 0 | 1): unknown =>
    Object.fromEntries(Object.entries(FATES).map(([name, fates]) => [name, fates[which]]));

  it('are those of the entity', () => {
    const { columns } = service.app.get(DataSource).getMetadata(Job);
    const stored = columns.filter(({ isVirtualProperty }) => !isVirtualProperty);
    expect(stored.map(({ databaseName }) => databaseName).sort()).toEqual([...types.keys()].sort());
  });

  it.each(FACT_COLUMNS)('have $name as its fact defines it', ({ name, column, default: fallback }) => {
    const type = column === 'int2' ? 'smallint' : column;
    expect([types.get(name), nullable.has(name)]).toEqual([type, fallback === undefined]);
  });

  it('are emptied, kept or set when the capture is deleted', async () => {
    await service.app
      .get(DatabaseService)
      .transaction((transaction) =>
        service.app
          .get(JobDeletionRepository, { strict: false })
          .erase(transaction, String(capture.id), true),
      );
    expect(fatesIn(capture, await read(capture))).toEqual(expected(0));
  });

  it('are copied, kept or set when a capture of the cache answers the job', async () => {
    const asking = await add(2, { source: 'job', status: 'queued', verdict: null, changed: null, ...ASKING });
    await service.app
      .get(DatabaseService)
      .transaction((transaction) =>
        service.app
          .get(CachedAnswerRepository, { strict: false })
          .end(transaction, [
            { jobId: String(asking.id), captureId: String(capture.id), status: 'coalesced' },
          ]),
      );
    expect(fatesIn(asking, await read(asking), capture)).toEqual(expected(1));
  });
});

const ASKING = { cache_status: 'bypass', options: {} };

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

function each(names: readonly string[], fates: readonly [Fate, Fate]): Record<string, readonly [Fate, Fate]> {
  return Object.fromEntries(names.map((name) => [name, fates]));
}

function fateOf(before: unknown, after: unknown, answer: unknown): Fate {
  const [was, is, given] = [before, after, answer].map((value) => JSON.stringify(value));
  if (is === was) return 'kept';
  if (is === 'null' || is === '{}') return 'emptied';
  return is === given ? 'copied' : 'set';
}

function valueOf(type: string, name: string, number: number): unknown {
  switch (type) {
    case 'uuid':
      return newId();
    case 'ARRAY':
      return [`${name} ${number}`];
    case 'boolean':
      return number % 2 === 1;
    case 'bytea':
      return `\\x0${number}`;
    case 'json':
    case 'jsonb':
      return { [name]: number, title: 'a title' };
    case 'timestamp with time zone':
      return `2026-01-0${number}T00:00:00Z`;
    default:
      return type === 'text' ? `${name} ${number}` : number;
  }
}
