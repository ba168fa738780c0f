import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import pg from 'pg';
import { parseOptions } from '@app/capture';
import { ConfigModule, loadEnv } from '@app/config';
import { DatabaseModule } from '@app/database';
import { JobsModule, migrateQueue } from '@app/jobs';
import { AppError, newId, type Fault } from '@app/kernel';
import { AccountsService, UsageModule } from '@app/usage';
import { createDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { eventually } from '../../../../test/support/eventually.js';
import { BatchAcceptance, BulkModule, MAX_ROWS } from '../index.js';
import type { CheckedRow } from '../reading/checked-row.js';
import type { AcceptedBatch, BatchOutcome, BatchSubmission } from '../submission.js';

const SECRET = 'the-secret-of-the-caller';

const good = (row: number, more: object = {}): CheckedRow => ({
  row,
  options: parseOptions({ url: `https://example.com/${row}`, reference: `r${row}`, ...more }),
});
const faultOf = (row: number, column = 'url'): Fault => ({
  pointer: `/items/${row - 1}/${column}`,
  row,
  column,
  code: 'invalid_value',
  detail: 'is not a URL',
});
const bad = (row: number): CheckedRow => ({ row, faults: [faultOf(row)], reference: `r${row}` });
const goods = (count: number): CheckedRow[] => Array.from({ length: count }, (_, i) => good(i + 1));

async function* each(rows: Iterable<CheckedRow>): AsyncGenerator<CheckedRow> {
  yield* rows;
}

const underKey = (key: string, body = 'a body') => ({
  idempotency: () => ({ key, fingerprint: createHash('sha256').update(body).digest() }),
});

const codeOf = (error: unknown): string => (error instanceof AppError ? error.code : String(error));

/** What is set aside by this process just now, as it is on the disk. */
const spools = (): string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const link = `/proc/self/fd/${fd}`;
      return readlinkSync(link).includes('capture-bulk-') ? [readFileSync(link, 'utf8')] : [];
    } catch {
      // Closed meanwhile, as the one that reads the folder is.
      return [];
    }
  });

describe(BatchAcceptance.name, () => {
  let database: TestDatabase;
  let app: INestApplicationContext;
  let client: pg.Pool;
  let batches: BatchAcceptance;
  let accountId: string;

  beforeAll(async () => {
    database = await createDatabase();
    const env = loadEnv({ DATABASE_URL: database.url, SECRETS_KEY: Buffer.alloc(32, 7).toString('base64') });
    await migrateQueue(env);
    const module = await Test.createTestingModule({
      imports: [ConfigModule.of(env), DatabaseModule.connect('test'), BulkModule, JobsModule, UsageModule],
    }).compile();
    app = await module.init();
    client = new pg.Pool({ connectionString: database.url });
    client.on('error', () => undefined);
    batches = app.get(BatchAcceptance);
  });

  afterAll(async () => {
    await client.end();
    await app.close();
    await database.drop();
  });

  beforeEach(async () => {
    accountId = await newAccount();
  });

  afterEach(async () => {
    // Whatever the test did: what is counted is what the rows say, and nothing is left on the disk.
    const { rows } = await client.query<{ used: number; held: number }>(
      `SELECT used, (SELECT count(*)::int FROM jobs WHERE jobs.account_id = counter.account_id
                        AND status IN ('queued', 'running', 'succeeded')) AS held FROM usage_counters AS counter`,
    );
    for (const { used, held } of rows) expect(used).toBe(held);
    const wrong = await client.query(
      `SELECT id FROM batches LEFT JOIN LATERAL (
         SELECT count(*) AS total, count(*) FILTER (WHERE status = 'queued') AS queued,
                count(*) FILTER (WHERE status = 'failed') AS failed
           FROM jobs WHERE batch_id = batches.id) AS seen ON true
        WHERE (batches.total, batches.queued, batches.failed) IS DISTINCT FROM (seen.total, seen.queued, seen.failed)`,
    );
    expect(wrong.rows).toEqual([]);
    expect(spools()).toEqual([]);
  });

  const newAccount = async (allowance = 100_000): Promise<string> => {
    const account = await app
      .get(AccountsService)
      .create({ name: newId(), allowance, allowancePeriod: 'month', concurrency: 2 });
    return account?.id ?? '';
  };
  /** A connection of another process; what it has open is rolled back at the end. */
  const session = async () => {
    const other = new pg.Client({ connectionString: database.url });
    other.on('error', () => undefined);
    await other.connect();
    return Object.assign(other, { [Symbol.asyncDispose]: () => other.end() });
  };
  const submit = (
    rows: Iterable<CheckedRow> | AsyncIterable<CheckedRow>,
    more: Partial<BatchSubmission> = {},
  ): Promise<BatchOutcome> =>
    batches.submit({
      accountId,
      rows: Symbol.iterator in rows ? each(rows) : rows,
      kind: 'json',
      onInvalid: 'reject',
      dryRun: false,
      ...more,
    });
  const accept = async (...asked: Parameters<typeof submit>): Promise<AcceptedBatch> => {
    const outcome = await submit(...asked);
    if (outcome.kind !== 'accepted') throw new Error('It was a dry run');
    return outcome;
  };
  const refusal = (...asked: Parameters<typeof submit>) =>
    submit(...asked).then(
      () => 'accepted',
      (error: unknown) => error,
    );
  const jobsOf = async (batchId: string) =>
    (
      await client.query<Record<string, unknown>>(
        `SELECT * FROM jobs WHERE batch_id = $1 ORDER BY created_at, id`,
        [batchId],
      )
    ).rows;
  const stored = async () => {
    const { rows } = await client.query<Record<string, number>>(
      `SELECT (SELECT count(*)::int FROM batches WHERE account_id = $1) AS batches,
              (SELECT count(*)::int FROM jobs WHERE account_id = $1) AS jobs,
              (SELECT count(*)::int FROM idempotency_keys WHERE account_id = $1) AS keys,
              (SELECT coalesce(sum(used), 0)::int FROM usage_counters WHERE account_id = $1) AS used`,
      [accountId],
    );
    return rows[0];
  };
  const NOTHING = { batches: 0, jobs: 0, keys: 0, used: 0 };

  it('stores each row as a job that waits for the dispatcher, in row order', async () => {
    const { batch, record, faults, replayed } = await accept(goods(2_500), {
      webhookUrl: 'https://example.com/hook',
      requestId: 'request-1',
    });
    const jobs = await jobsOf(batch.id);
    expect(jobs.map(({ batch_row }) => batch_row)).toEqual(goods(2_500).map(({ row }) => row));
    expect(jobs[41]).toMatchObject({
      account_id: accountId,
      source: 'batch',
      status: 'queued',
      batch_row: 42,
      url: 'https://example.com/42',
      host: 'example.com',
      reference: 'r42',
      format: 'png',
      options: { url: 'https://example.com/42', reference: 'r42' },
      dispatched_at: null,
      webhook_url: null,
      request_id: 'request-1',
      secrets: null,
      created_at: batch.createdAt,
      finished_at: null,
    });
    expect(record).toMatchObject({
      id: batch.id,
      status: 'queued',
      retry_of: null,
      total: 2_500,
      counts: { queued: 2_500, running: 0, succeeded: 0, failed: 0, canceled: 0 },
      rejected: 0,
      progress: 0,
      eta_s: null,
      started_at: null,
      finished_at: null,
      webhook: { state: 'waiting', url: 'https://example.com/hook', attempts: 0 },
    });
    expect([faults, replayed]).toEqual([[], false]);
    expect(await stored()).toEqual({ batches: 1, jobs: 2_500, keys: 0, used: 2_500 });
  });

  it('tells the dispatchers', async () => {
    await using listener = await session();
    const heard: string[] = [];
    listener.on('notification', ({ channel }) => heard.push(channel));
    await listener.query('LISTEN capture_job_waiting');
    await submit(goods(1));
    await eventually('the signal is heard', () => heard.includes('capture_job_waiting'));
  });

  it('has secrets in the clear neither in a row nor on the disk while it reads', async () => {
    let seen = '';
    async function* watched(): AsyncGenerator<CheckedRow> {
      // Enough that some of it must have been written when the last one is asked for.
      for (let row = 1; row <= 3_000; row++) yield good(row, { headers: { 'X-Secret': SECRET } });
      await eventually('it is on the disk', () => spools().join('').length > 0);
      seen = spools().join('');
      yield good(3_001);
    }
    const { batch } = await accept(watched());
    expect(seen).toContain('https://example.com/1"');
    expect(seen).not.toContain(SECRET);
    const [first] = await jobsOf(batch.id);
    expect(first).toMatchObject({ options: { headers: '[redacted]' }, secrets: expect.any(Buffer) });
    expect(JSON.stringify(first)).not.toContain(SECRET);
  });

  describe('with rows that are not valid', () => {
    const mixed = (): CheckedRow[] => [good(1), bad(2), good(3), bad(4)];

    it.each([
      ['json', 'invalid_request'],
      ['csv', 'invalid_csv'],
    ] as const)('refuses all of a %s, and tells why', async (kind, code) => {
      expect(await refusal(mixed(), { kind })).toMatchObject({
        code,
        message: expect.stringMatching(/^2 of 4 rows are not valid/),
        facts: { errors: [faultOf(2), faultOf(4)] },
      });
      expect(await stored()).toEqual(NOTHING);
    });

    it('takes the others, and keeps these as failed rows that cost nothing', async () => {
      const { batch, record, faults } = await accept(mixed(), { onInvalid: 'skip' });
      expect(record).toMatchObject({ status: 'queued', total: 4, rejected: 2, progress: 0.5 });
      expect(record.counts).toMatchObject({ queued: 2, failed: 2 });
      expect(faults).toEqual([faultOf(2), faultOf(4)]);
      const jobs = await jobsOf(batch.id);
      expect(jobs.map(({ status }) => status)).toEqual(['queued', 'failed', 'queued', 'failed']);
      expect(jobs[1]).toMatchObject({
        batch_row: 2,
        attempt: 0,
        url: null,
        reference: 'r2',
        options: {},
        error_code: 'invalid_request',
        error: { code: 'invalid_request', retryable: false, errors: [faultOf(2)] },
        finished_at: batch.createdAt,
      });
      expect(await stored()).toMatchObject({ jobs: 4, used: 2 });
    });

    it('is over at once when no row is left to run, and says so', async () => {
      await using listener = await session();
      const heard: (string | undefined)[] = [];
      listener.on('notification', ({ payload }) => heard.push(payload));
      await listener.query('LISTEN capture_batch_finished');
      const { batch, record } = await accept([bad(1)], { onInvalid: 'skip' });
      expect(record).toMatchObject({ status: 'completed', progress: 1, eta_s: 0 });
      expect(record.finished_at).toBe(record.created_at);
      await eventually('the end is told', () => heard.includes(batch.id));
      expect(await stored()).toMatchObject({ jobs: 1, used: 0 });
    });

    it('counts all, and tells the first 1,000 faults', async () => {
      const rows = Array.from({ length: 1_200 }, (_, i) => bad(i + 1));
      expect(await refusal(rows)).toMatchObject({
        message: expect.stringMatching(/^1200 of 1200 rows/),
        facts: { errors: rows.slice(0, 1_000).map(({ row }) => faultOf(row)) },
      });
    });

    it('keeps what PostgreSQL cannot store out of the record of a row', async () => {
      const fault = { ...faultOf(1, 'a\0b\ud800'), detail: 'is not \0' };
      const { batch } = await accept([{ row: 1, faults: [fault] }], { onInvalid: 'skip' });
      const [job] = await jobsOf(batch.id);
      expect(job).toMatchObject({
        error: { errors: [{ column: 'a\ufffdb\ufffd', detail: 'is not \ufffd' }] },
      });
    });
  });

  it.each([
    ['no rows', () => [], 'invalid_request'],
    ['a row too many', () => goods(MAX_ROWS + 1), 'payload_too_large'],
    [
      'rows that are a thousand times as large as what was sent',
      function* () {
        const html = 'x'.repeat(1_000_000);
        for (let row = 1; row <= 100; row++) yield good(row, { url: undefined, html });
      },
      'payload_too_large',
    ],
  ])('refuses %s, also when it only asks', async (_, rows, code) => {
    expect(await refusal(rows())).toMatchObject({ code });
    expect(await refusal(rows(), { dryRun: true })).toMatchObject({ code });
    expect(await stored()).toEqual(NOTHING);
  });

  describe('a dry run', () => {
    const verdictOf = async (rows: CheckedRow[], more: Partial<BatchSubmission> = {}) => {
      const outcome = await submit(rows, { dryRun: true, ...underKey('k'), ...more });
      return outcome.kind === 'verdict' ? outcome.verdict : outcome;
    };

    it('says what would be accepted, and stores nothing', async () => {
      expect(await verdictOf(goods(3))).toEqual({
        dry_run: true,
        would_accept: true,
        total: 3,
        valid: 3,
        rejected: 0,
        allowance: { needed: 3, available: 100_000 },
        errors: [],
      });
      const rows = [good(1), bad(2)];
      expect(await verdictOf(rows)).toMatchObject({ would_accept: false, rejected: 1, errors: [faultOf(2)] });
      expect(await verdictOf(rows, { onInvalid: 'skip' })).toMatchObject({ would_accept: true, valid: 1 });
      expect(await stored()).toEqual(NOTHING);
    });

    it('says whether the allowance suffices', async () => {
      accountId = await newAccount(2);
      expect(await verdictOf(goods(3))).toMatchObject({
        would_accept: false,
        allowance: { needed: 3, available: 2 },
      });
    });
  });

  describe('the allowance', () => {
    it('is reserved for all rows or for none, and the refusal tells both numbers', async () => {
      accountId = await newAccount(5);
      await submit(goods(2));
      expect(await refusal(goods(4))).toMatchObject({
        code: 'allowance_exhausted',
        message: expect.stringMatching(/needs 4 captures .* 3 are left/),
      });
      expect(await stored()).toMatchObject({ batches: 1, jobs: 2, used: 2 });
      expect((await accept(goods(3))).record.total).toBe(3);
    });

    it('goes to one of many who want all of it at once', async () => {
      accountId = await newAccount(300);
      const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => submit(goods(200))));
      const refused = outcomes.flatMap((outcome) =>
        outcome.status === 'rejected' ? [codeOf(outcome.reason)] : [],
      );
      expect(refused).toEqual(Array<string>(9).fill('allowance_exhausted'));
      expect(await stored()).toEqual({ batches: 1, jobs: 200, keys: 0, used: 200 });
    });

    it('is that of one period, also when the operator changes it while the rows are stored', async () => {
      await using operator = await session();
      await operator.query('BEGIN');
      await operator.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [accountId]);
      await operator.query(`UPDATE accounts SET allowance_period = 'ever' WHERE id = $1`, [accountId]);
      const accepting = accept(goods(3));
      await eventually('the batch waits for the account', async () => {
        const { rowCount } = await client.query(
          `SELECT FROM pg_stat_activity
            WHERE query LIKE 'INSERT INTO "batches"%' AND wait_event_type = 'Lock' AND datname = current_database()`,
        );
        return rowCount === 1;
      });
      await operator.query('COMMIT');
      const jobs = await jobsOf((await accepting).batch.id);
      expect(jobs.map(({ usage_period }) => usage_period)).toEqual(['ever', 'ever', 'ever']);
      const counters = await client.query(`SELECT period, used FROM usage_counters WHERE account_id = $1`, [
        accountId,
      ]);
      expect(counters.rows).toEqual([{ period: 'ever', used: 3 }]);
    });
  });
});
