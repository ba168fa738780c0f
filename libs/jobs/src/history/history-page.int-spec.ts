import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { FORMAT_NAMES, VERDICTS, type Verdict } from '@app/capture';
import { decodeCursor, type Cursor } from '@app/kernel';
import { startModules, type StartedModules } from '../../../../test/support/modules.js';
import { rowsRead } from '../../../../test/support/rows-read.js';
import { seededRandom } from '../../../../test/support/seeded-random.js';
import { Job } from '../job/job.entity.js';
import { JOB_SOURCES, JOB_STATUSES } from '../job/job-state.js';
import { pageQuery, type JobFilter } from './history-page.js';
import { JobHistoryModule } from './job-history.module.js';
import { JobHistoryRepository } from './job-history.repository.js';

type Row = Pick<
  Job,
  | 'id'
  | 'accountId'
  | 'status'
  | 'source'
  | 'format'
  | 'host'
  | 'reference'
  | 'batchId'
  | 'createdAt'
  | 'verdict'
  | 'changed'
>;

/** The rows, their ids and the filters are the same for the same seed. */
const SEED = 11;
const random = seededRandom(SEED);

const START_MS = Date.parse('2026-05-01T00:00:00Z');
const HOSTS = ['a.example', 'b.example', null];
const REFERENCES = ['one', 'two', null];
const [ACCOUNT, OTHER, UNIFORM] = [randomId(), randomId(), randomId()] as const;
const BATCHES = [randomId(), randomId(), null];

describe(`${pageQuery.name} with rows of seed ${SEED}`, () => {
  let service: StartedModules;
  let app: INestApplicationContext;
  let source: DataSource;
  let history: JobHistoryRepository;
  let rows: Row[];

  beforeAll(async () => {
    service = await startModules({ imports: [JobHistoryModule] });
    app = service.app;
    source = app.get(DataSource);
    history = app.get(JobHistoryRepository);
    for (const id of [ACCOUNT, OTHER, UNIFORM]) await addAccount(id);
    rows = Array.from({ length: 600 }, (_, i) => randomRow(i));
    await insert(rows);
    await addUniformRows();
    await source.query(
      `INSERT INTO idempotency_keys (account_id, key, fingerprint, subject_id) VALUES ($1, 'a key', '', $2)`,
      [UNIFORM, '00000000-0000-0000-0000-000000000007'],
    );
    await source.query(`ANALYZE jobs`);
  });

  afterAll(() => service.close());

  async function addAccount(id: string): Promise<void> {
    await source.query(
      `INSERT INTO accounts (id, name, allowance, allowance_period, concurrency) VALUES ($1, $2, 1, 'ever', 1)`,
      [id, id],
    );
  }

  async function insert(all: readonly Row[]): Promise<void> {
    await source.query(
      `INSERT INTO jobs (id, account_id, status, source, format, host, reference, batch_id, created_at, verdict, changed,
                         options, timeout_ms, usage_period)
       SELECT id, "accountId", status, source, format, host, reference, "batchId", "createdAt", verdict, changed, '{}', 1, 'ever'
         FROM json_to_recordset($1) AS row (id uuid, "accountId" uuid, status text, source text, format text, host text,
                                            reference text, "batchId" uuid, "createdAt" timestamptz, verdict jsonb,
                                            changed boolean)`,
      [JSON.stringify(all)],
    );
  }

  /** Inserts 20,000 rows that differ only in their time, for which the planner's statistics favour reading all of them. */
  async function addUniformRows(): Promise<void> {
    await source.query(
      `INSERT INTO jobs (id, account_id, source, status, format, host, reference, verdict, changed, options, timeout_ms,
                         usage_period, created_at)
       SELECT lpad(n::text, 32, '0')::uuid, $1, 'job', 'succeeded', 'png', 'a.example', 'one', '{"kind":"page"}', false, '{}', 1, 'ever',
              $2::timestamptz + n * interval '1 s'
         FROM generate_series(1, 20000) AS n`,
      [UNIFORM, new Date(START_MS)],
    );
  }

  /** Reads all pages one after the other. */
  async function readAll(filter: JobFilter, limit: number): Promise<string[][]> {
    const pages: string[][] = [];
    let cursor: Cursor | undefined;
    do {
      const page = await history.list(ACCOUNT, filter, { limit, cursor });
      pages.push(page.items.map(({ id }) => id));
      cursor = page.nextCursor === null ? undefined : decodeCursor(page.nextCursor);
    } while (cursor);
    return pages;
  }

  it('returns the same pages as filtering all rows does, for 150 random filters', async () => {
    for (let i = 0; i < 150; i++) {
      const filter = randomFilter();
      const expected = pagesOf(
        rows.filter((row) => row.accountId === ACCOUNT && matches(row, filter)),
        40,
      );
      const found = await readAll(filter, 40);
      expect({ filter, found }).toEqual({ filter, found: expected });
    }
  });

  async function rowsReadBy(filter: JobFilter, cursor?: Cursor): Promise<number> {
    const { sql, parameters } = pageQuery(UNIFORM, filter, { limit: 21, cursor });
    const [statement, values] = source
      .createQueryBuilder(Job, 'job')
      .where(`job.id = ANY(ARRAY(${sql}))`, parameters)
      .getQueryAndParameters();
    return rowsRead(source, statement, values);
  }

  const day = { createdAfter: '2026-05-01T00:00:00Z', createdBefore: '2026-05-01T05:00:00Z' };
  const filters: JobFilter[] = [
    {},
    { status: 'succeeded' },
    { status: 'queued' },
    { source: 'batch' },
    { format: 'jpeg' },
    { source: 'batch', format: 'jpeg' },
    { source: 'job', format: 'jpeg' },
    { status: 'failed', source: 'job', format: 'png' },
    { host: 'a.example' },
    { host: 'a.example', format: 'jpeg' },
    { host: 'b.example' },
    { host: 'a.example', status: 'canceled', source: 'sync' },
    { reference: 'one' },
    { reference: 'one', format: 'jpeg' },
    { reference: 'one', host: 'b.example' },
    { reference: 'two', host: 'a.example' },
    { verdict: 'page' },
    { verdict: 'bot_wall' },
    { changed: true },
    { changed: false, verdict: 'page' },
    { changed: true, host: 'a.example' },
    { verdict: 'blank', reference: 'one' },
    { verdict: 'login_wall', reference: 'one', host: 'a.example' },
    { hasError: true },
    { hasError: false },
    { hasError: true, host: 'a.example', verdict: 'bot_wall' },
    { batchId: randomId(), host: 'a.example' },
    { idempotencyKey: 'a key' },
    { idempotencyKey: 'a key', host: 'a.example' },
    day,
    { ...day, format: 'jpeg' },
    { ...day, host: 'a.example', source: 'batch' },
    { ...day, verdict: 'page', changed: true },
  ];

  it.each(filters)('reads few of 20,000 rows for %j, on the first page and on a deep one', async (filter) => {
    const deep = { createdAtMs: START_MS + 600_000, id: randomId() };
    for (const cursor of [undefined, deep]) {
      // A row of a page is read from the index of its kind, from that of the ids, and from the table; some rows of a kind
      // are read before the rest of a page.
      expect(await rowsReadBy(filter, cursor)).toBeLessThanOrEqual(4 * 21);
    }
  });
});

function randomId(): string {
  const digits = Array.from({ length: 12 }, () => Math.floor(random() * 16).toString(16));
  return `00000000-0000-7000-8000-${digits.join('')}`;
}

function randomRow(i: number): Row {
  const source = pick(JOB_SOURCES);
  const status = pick([...JOB_STATUSES, 'succeeded'] as const);
  return {
    id: randomId(),
    accountId: i % 10 === 0 ? OTHER : ACCOUNT,
    status,
    verdict: ['succeeded', 'failed'].includes(status) ? pick([null, ...VERDICTS.map(verdictOf)]) : null,
    changed: status === 'succeeded' ? pick([null, true, false]) : null,
    source,
    format: pick(FORMAT_NAMES),
    host: pick(HOSTS),
    reference: pick(REFERENCES),
    batchId: source === 'batch' ? pick(BATCHES) : null,
    // Several rows in most milliseconds.
    createdAt: new Date(START_MS + Math.floor(random() * 100)),
  };
}

function verdictOf(kind: Verdict['kind']): Verdict {
  return { kind, evidence: [] };
}

/** The filters of columns that a row of this spec has. */
type RandomFilter = Omit<JobFilter, 'origins' | 'idempotencyKey'>;

/** Includes each filter at random, the more selective ones less often. */
function randomFilter(): RandomFilter {
  const time = (): string => new Date(START_MS + Math.floor(random() * 100)).toISOString();
  return {
    ...maybe(0.4, () => ({ status: pick(JOB_STATUSES) })),
    ...maybe(0.4, () => ({ source: pick(JOB_SOURCES) })),
    ...maybe(0.4, () => ({ format: pick(FORMAT_NAMES) })),
    ...maybe(0.3, () => ({ verdict: pick(VERDICTS) })),
    ...maybe(0.3, () => ({ changed: pick([true, false]) })),
    ...maybe(0.2, () => ({ hasError: pick([true, false]) })),
    ...maybe(0.3, () => ({ host: pick([...HOSTS, 'c.example']) ?? undefined })),
    ...maybe(0.3, () => ({ reference: pick([...REFERENCES, 'three']) ?? undefined })),
    ...maybe(0.2, () => ({ batchId: pick(BATCHES) ?? undefined })),
    ...maybe(0.3, () => ({ createdAfter: time() })),
    ...maybe(0.3, () => ({ createdBefore: time() })),
  };
}

function maybe<T>(chance: number, value: () => T): T | undefined {
  return random() < chance ? value() : undefined;
}

function pick<T>(values: readonly [T, ...T[]] | readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T;
}

function matches(row: Row, { createdAfter, createdBefore, ...equal }: RandomFilter): boolean {
  const actual = { ...row, verdict: row.verdict?.kind, hasError: row.status === 'failed' };
  const isEqual = Object.entries(equal).every(
    ([name, value]) => value === undefined || actual[name as keyof typeof equal] === value,
  );
  const isAfter = createdAfter === undefined || row.createdAt.getTime() > Date.parse(createdAfter);
  const isBefore = createdBefore === undefined || row.createdAt.getTime() < Date.parse(createdBefore);
  return isEqual && isAfter && isBefore;
}

function pagesOf(rows: readonly Row[], limit: number): string[][] {
  const ids = [...rows]
    .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id);
  const count = Math.max(1, Math.ceil(ids.length / limit));
  return Array.from({ length: count }, (_, i) => ids.slice(i * limit, (i + 1) * limit));
}
