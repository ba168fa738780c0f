import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseOptions } from '@app/capture';
import { AppError, newId } from '@app/kernel';
import {
  AcceptingBatches,
  bad,
  faultOf,
  good,
  goods,
  NOTHING,
  spools,
  underKey,
} from '../../../../test/support/accepting-batches.js';
import { eventually } from '../../../../test/support/eventually.js';
import { codeOf } from '../../../../test/support/modules.js';
import {
  BatchAcceptanceService,
  MAX_ROWS,
  type BatchRequest,
  type CheckedRow,
  type GoodRow,
} from '../index.js';

const SECRET = 'the-secret-of-the-caller';

describe(BatchAcceptanceService.name, () => {
  let service: AcceptingBatches;

  beforeAll(async () => {
    service = await AcceptingBatches.open();
  });

  afterAll(() => service.close());

  beforeEach(() => service.useAccount());

  afterEach(() => service.expectSound());

  it('stores each row as a job that waits to be dispatched, in row order', async () => {
    const rows = goods(2_500).with(41, good(42));
    const { batch, record, faults, replayed } = await service.accept(rows, {
      webhookUrl: 'https://example.com/hook',
      requestId: 'request-1',
    });
    const jobs = await service.jobsOf(batch.id);
    expect(jobs.map(({ batch_row }) => batch_row)).toEqual(rows.map(({ row }) => row));
    expect(jobs[41]).toMatchObject({
      account_id: service.accountId,
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
    expect(await service.stored()).toEqual({ batches: 1, jobs: 2_500, keys: 0, used: 2_500 });
  });

  it('notifies the dispatchers', async () => {
    await using listener = await service.client.session();
    const channels: string[] = [];
    listener.on('notification', ({ channel }) => channels.push(channel));
    await listener.query('LISTEN capture_job_waiting');
    await service.submit(goods(1));
    await eventually('the signal arrives', () => channels.includes('capture_job_waiting'));
  });

  it('writes secrets in plain text neither to a row nor to the spool', async () => {
    let seen = '';
    async function* watched(): AsyncGenerator<CheckedRow> {
      // Enough rows that some are on disk when the last one is requested.
      const { options } = good(1, { headers: { 'X-Secret': SECRET } }) as GoodRow;
      for (let row = 1; row <= 3_000; row++) yield { row, options };
      await eventually('it is on the disk', () => spools().join('').length > 0);
      seen = spools().join('');
      yield good(3_001);
    }
    // Rows that may be bad are spooled while they are read.
    const { batch } = await service.accept(watched(), { onInvalid: 'skip' });
    expect(seen).toContain('https://example.com/1"');
    expect(seen).not.toContain(SECRET);
    const [first] = await service.jobsOf(batch.id);
    expect(first).toMatchObject({ options: { headers: '[redacted]' }, secrets: expect.any(Buffer) });
    expect(JSON.stringify(first)).not.toContain(SECRET);
  });

  it('makes the options of no row of a batch that is refused for its last one', async () => {
    let made = 0;
    const { options } = good(1) as GoodRow;
    const counted = (row: number): GoodRow =>
      Object.defineProperty({ row, namesAny: false } as GoodRow, 'options', {
        get: () => {
          made++;
          return options;
        },
      });
    const rows = Array.from({ length: 200 }, (_, i) => counted(i + 1));
    expect(codeOf(await service.refusal([...rows, bad(201)]))).toBe('invalid_request');
    expect(made).toBe(0);
    await service.accept(rows);
    expect(made).toBeGreaterThanOrEqual(rows.length);
  });

  describe('with invalid rows', () => {
    const mixed = (): CheckedRow[] => [good(1), bad(2), good(3), bad(4)];

    it.each([
      ['json', 'invalid_request'],
      ['csv', 'invalid_csv'],
    ] as const)('refuses all of a %s, and explains why', async (kind, code) => {
      expect(await service.refusal(mixed(), { kind })).toMatchObject({
        code,
        message: expect.stringMatching(/^2 of 4 rows are not valid/),
        facts: { errors: [faultOf(2), faultOf(4)] },
      });
      expect(await service.stored()).toEqual(NOTHING);
    });

    it('accepts the other rows, and stores invalid ones as failed rows without a charge', async () => {
      const { batch, record, faults } = await service.accept(mixed(), { onInvalid: 'skip' });
      expect(record).toMatchObject({ status: 'queued', total: 4, rejected: 2, progress: 0.5 });
      expect(record.counts).toMatchObject({ queued: 2, failed: 2 });
      expect(faults).toEqual([faultOf(2), faultOf(4)]);
      const jobs = await service.jobsOf(batch.id);
      expect(jobs.map(({ status }) => status)).toEqual(['queued', 'failed', 'queued', 'failed']);
      expect(jobs[1]).toMatchObject({
        batch_row: 2,
        attempt: 0,
        format: 'webp',
        url: null,
        reference: 'r2',
        options: {},
        error_code: 'invalid_request',
        error: { code: 'invalid_request', retryable: false, errors: [faultOf(2)] },
        finished_at: batch.createdAt,
      });
      expect(await service.stored()).toMatchObject({ jobs: 4, used: 2 });
    });

    it('completes at once when no row is left to run, and notifies of it', async () => {
      await using listener = await service.client.session();
      const payloads: (string | undefined)[] = [];
      listener.on('notification', ({ payload }) => payloads.push(payload));
      await listener.query('LISTEN capture_batch_finished');
      const { batch, record } = await service.accept([bad(1)], { onInvalid: 'skip' });
      expect(record).toMatchObject({ status: 'completed', progress: 1, eta_s: 0 });
      expect(record.finished_at).toBe(record.created_at);
      await eventually('the notification arrives', () => payloads.includes(batch.id));
      expect(await service.stored()).toMatchObject({ jobs: 1, used: 0 });
    });

    it('reads no further than the hundredth bad row of a batch that must have none', async () => {
      let read = 0;
      async function* rows(): AsyncGenerator<CheckedRow> {
        for (let row = 1; row <= 3_000; row++, read++)
          yield await Promise.resolve(row % 2 === 0 ? bad(row) : good(row));
      }
      const errors = Array.from({ length: 100 }, (_, i) => faultOf(2 * (i + 1)));
      expect(await service.refusal(rows())).toMatchObject({
        message: expect.stringMatching(
          /^100 of the first 200 rows are not valid, and the rows after these were not/,
        ),
        facts: { errors, rowsChecked: 200 },
      });
      expect(read).toBe(199);
      expect(await service.stored()).toEqual(NOTHING);
    });

    it('reads no further either when the rows before name a session', async () => {
      let read = 0;
      async function* rows(): AsyncGenerator<CheckedRow> {
        yield { row: 1, options: parseOptions({ url: 'https://a.test/', session: newId() }) };
        for (let row = 2; row <= 3_000; row++, read++) yield await Promise.resolve(bad(row));
      }
      expect(await service.refusal(rows())).toMatchObject({ facts: { rowsChecked: 100 } });
      expect(read).toBeLessThan(110);
    });

    it('reads all bad rows of a batch that may have some', async () => {
      const rows = Array.from({ length: 150 }, (_, i) => bad(i + 1));
      const { record, faults } = await service.accept(rows, { onInvalid: 'skip' });
      expect(record).toMatchObject({ total: 150, rejected: 150 });
      expect(faults).toHaveLength(150);
    });

    it('reads no further than the 1,000th fault either', async () => {
      const rows = Array.from({ length: 120 }, (_, i) => ({
        row: i + 1,
        faults: Array.from({ length: 15 }, () => faultOf(i + 1)),
      }));
      const { message, facts } = AppError.from(await service.refusal(rows));
      expect(message).toContain('Correct the faults in errors, which are the first 1000, or');
      expect([facts.errors?.length, facts.rowsChecked]).toEqual([1_000, 67]);
    });

    it('replaces characters that PostgreSQL cannot store in the record of a row', async () => {
      const fault = { ...faultOf(1, 'a\0b\ud800'), detail: 'is not \0' };
      const { batch } = await service.accept([{ row: 1, faults: [fault] }], { onInvalid: 'skip' });
      const [job] = await service.jobsOf(batch.id);
      expect(job).toMatchObject({
        error: { errors: [{ column: 'a b\ufffd', detail: 'is not  ' }] },
      });
    });

    it('keeps the record of a row within the limits of the table, however many and long its faults are', async () => {
      const long = {
        ...faultOf(1, '世"'.repeat(9_999)),
        pointer: '世"'.repeat(9_999),
        detail: '世"'.repeat(9_999),
      };
      const faults = Array.from({ length: 100 }, () => long);
      const { batch } = await service.accept([{ row: 1, faults }], { onInvalid: 'skip' });
      const [job] = await service.jobsOf(batch.id);
      expect(job?.error).toMatchObject({
        detail: expect.stringMatching(/^.{299}…$/),
        errors: Array.from({ length: 20 }, () => expect.anything()),
      });
    });
  });

  it.each([
    ['no rows', () => [], 'invalid_request'],
    ['a row too many', () => goods(MAX_ROWS + 1), 'payload_too_large'],
    [
      'rows that are a thousand times larger than the body',
      function* () {
        const { options } = good(1, { url: undefined, html: 'x'.repeat(1_000_000) }) as GoodRow;
        for (let row = 1; row <= 200; row++) yield { row, options };
      },
      'payload_too_large',
    ],
  ])('refuses %s, also in a dry run', async (_, rows, code) => {
    expect(await service.refusal(rows())).toMatchObject({ code });
    expect(await service.refusal(rows(), { dryRun: true })).toMatchObject({ code });
    expect(await service.stored()).toEqual(NOTHING);
  });

  describe('a dry run', () => {
    const reportOf = async (rows: CheckedRow[], more: Partial<BatchRequest> = {}) => {
      const outcome = await service.submit(rows, { dryRun: true, ...underKey('k'), ...more });
      return outcome.kind === 'dry_run' ? outcome.report : outcome;
    };

    it('reports what would be accepted, and stores nothing', async () => {
      expect(await reportOf(goods(3))).toEqual({
        dry_run: true,
        would_accept: true,
        total: 3,
        valid: 3,
        rejected: 0,
        allowance: { needed: 3, available: 100_000 },
        errors: [],
        errors_omitted: 0,
      });
      const rows = [good(1), bad(2)];
      expect(await reportOf(rows)).toMatchObject({ would_accept: false, rejected: 1, errors: [faultOf(2)] });
      expect(await reportOf(rows, { onInvalid: 'skip' })).toMatchObject({ would_accept: true, valid: 1 });
      expect(await service.stored()).toEqual(NOTHING);
    });

    it('reports whether the allowance suffices', async () => {
      await service.useAccount(2);
      expect(await reportOf(goods(3))).toMatchObject({
        would_accept: false,
        allowance: { needed: 3, available: 2 },
      });
    });
  });

  describe('the allowance', () => {
    it('is reserved for all rows or for none, and the refusal names both numbers', async () => {
      await service.useAccount(5);
      await service.submit(goods(2));
      expect(await service.refusal(goods(4))).toMatchObject({
        code: 'allowance_exhausted',
        message: expect.stringMatching(/^4 captures are asked for, and 3 are left/),
      });
      expect(await service.stored()).toMatchObject({ batches: 1, jobs: 2, used: 2 });
      expect((await service.accept(goods(3))).record.total).toBe(3);
    });

    it('goes to one of many batches that need all of it at once', async () => {
      await service.useAccount(300);
      const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => service.submit(goods(200))));
      const refused = outcomes.flatMap((outcome) =>
        outcome.status === 'rejected' ? [codeOf(outcome.reason)] : [],
      );
      expect(refused).toEqual(Array<string>(9).fill('allowance_exhausted'));
      expect(await service.stored()).toEqual({ batches: 1, jobs: 200, keys: 0, used: 200 });
    });

    it('is charged to one period, also when the operator changes the account while the rows are stored', async () => {
      await using operator = await service.client.session();
      await operator.query('BEGIN');
      await operator.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [service.accountId]);
      await operator.query(`UPDATE accounts SET allowance_period = 'ever' WHERE id = $1`, [
        service.accountId,
      ]);
      const accepting = service.accept(goods(3));
      await eventually(
        'the batch waits for the account',
        async () => (await service.waiting('INTO "batches"')).length === 1,
      );
      await operator.query('COMMIT');
      const jobs = await service.jobsOf((await accepting).batch.id);
      expect(jobs.map(({ usage_period }) => usage_period)).toEqual(['ever', 'ever', 'ever']);
      const counters = await service.client.query(
        `SELECT period, used FROM usage_counters WHERE account_id = $1`,
        [service.accountId],
      );
      expect(counters.rows).toEqual([{ period: 'ever', used: 3 }]);
    });
  });
});
