import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AttemptsService, JobsService, RecoveryService, type Attempt } from '@app/jobs';
import { AppError } from '@app/kernel';
import { dispatchRows, insertBatch } from '../../../../test/support/batch-rows.js';
import { startBulk, type TestBulk } from '../../../../test/support/bulk.js';
import { SUCCESS } from '../../../../test/support/jobs.js';
import { seededRandom } from '../../../../test/support/seeded-random.js';
import { BatchesService } from '../batches.service.js';
import { BatchEtaService } from './batch-eta.service.js';

describe('a batch whose rows move', () => {
  let bulk: TestBulk;
  let attempts: AttemptsService;
  let jobs: JobsService;
  let recovery: RecoveryService;
  let batches: BatchesService;

  beforeAll(async () => {
    bulk = await startBulk();
    attempts = bulk.app.get(AttemptsService);
    jobs = bulk.app.get(JobsService);
    recovery = bulk.app.get(RecoveryService);
    batches = bulk.app.get(BatchesService);
  });

  afterAll(async () => {
    await bulk.close();
  });

  const claim = async (id: string): Promise<Attempt | null> => {
    await dispatchRows(bulk.database, [id]);
    const job = await attempts.claim(id, 'test');
    return job && { id, attempt: job.attempt };
  };
  const succeed = async (id: string): Promise<void> => {
    const attempt = await claim(id);
    if (attempt) await attempts.succeed(attempt, SUCCESS);
  };

  /** Every transition, tried on rows of any state; most are refused and change nothing. */
  const MOVES: Readonly<Record<string, (row: Attempt, accountId: string) => Promise<unknown>>> = {
    claim: ({ id }) => claim(id),
    succeed: (row) => attempts.succeed(row, SUCCESS),
    fail: (row) => attempts.fail(row, new AppError('target_dns_error')),
    retry: (row) => attempts.fail(row, new AppError('browser_crashed')),
    handBack: (row) => attempts.handBack(row),
    lose: async ({ id }) => {
      await bulk.database.query(
        `UPDATE jobs SET lease_until = now() - interval '1 s' WHERE id = $1 AND status = 'running'`,
        [id],
      );
      await recovery.endAbandonedRuns();
    },
    cancel: async ({ id }, accountId) => {
      await jobs.cancel(accountId, id, 'client_request').catch((error: unknown) => {
        if (!(error instanceof AppError && error.code === 'job_finished')) throw error;
      });
    },
  };

  it.each([1, 2, 3])(
    'has exact counts after every step of concurrent transitions (seed %i)',
    async (seed) => {
      const random = seededRandom(seed);
      const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
      const accountId = await bulk.account();
      const inserted = [
        await insertBatch(bulk.database, { accountId, rows: 12, rejected: 2 }),
        await insertBatch(bulk.database, { accountId, rows: 5 }),
      ];
      const ids = inserted.flatMap(({ rowIds }) => rowIds);
      const open = async (): Promise<Attempt[]> => {
        const { rows } = await bulk.database.query<Attempt>(
          `SELECT id, attempt FROM jobs WHERE id = ANY($1) AND status IN ('queued', 'running')`,
          [ids],
        );
        return rows;
      };
      for (let rows = await open(); rows.length > 0; rows = await open()) {
        const moves = Array.from({ length: 6 }, () => pick(Object.entries(MOVES)));
        await Promise.all(moves.map(([, move]) => move(pick(rows), accountId)));
        const names = moves.map(([name]) => name).join(', ');
        expect([names, await bulk.differences(accountId)]).toEqual([names, []]);
      }
      for (const { id } of inserted) {
        expect(await batches.find(accountId, id)).toMatchObject({
          status: 'completed',
          queued: 0,
          running: 0,
        });
      }
    },
  );

  it('ends the wait for its end', async () => {
    const accountId = await bulk.account();
    const { id, rowIds } = await insertBatch(bulk.database, { accountId, rows: 2 });
    const batch = await batches.find(accountId, id);
    const { signal } = new AbortController();
    const end = batches.waitForEnd(batch, 600_000, signal);
    for (const row of rowIds) await succeed(row);
    expect(await end).toMatchObject({ status: 'completed', succeeded: 2 });
    expect(await batches.waitForEnd(batch, 600_000, signal)).toMatchObject({ status: 'completed' });
  });

  it('ends the wait at its timeout, and when the caller disconnects', async () => {
    const accountId = await bulk.account();
    const { id } = await insertBatch(bulk.database, { accountId, rows: 1 });
    const batch = await batches.find(accountId, id);
    const gone = new AbortController();
    const wait = batches.waitForEnd(batch, 600_000, gone.signal);
    gone.abort();
    expect(await wait).toMatchObject({ status: 'queued' });
    expect(await batches.waitForEnd(batch, 1, new AbortController().signal)).toMatchObject({
      status: 'queued',
    });
  });

  it('estimates its end from the pace of its rows', async () => {
    const etas = bulk.app.get(BatchEtaService);
    const accountId = await bulk.account();
    const { id, rowIds } = await insertBatch(bulk.database, { accountId, rows: 160, rejected: 30 });
    const eta = async () => etas.etaS(await batches.find(accountId, id));
    expect(await eta()).toBeNull();
    const first = await claim(rowIds[30] ?? '');
    expect(await eta()).toBeNull();
    // As if the first row had started a minute ago, and a row had ended each second since then.
    await bulk.database.query(`UPDATE batches SET started_at = now() - interval '60 s' WHERE id = $1`, [id]);
    const endEverySecond = (count: number): Promise<unknown> =>
      bulk.database.query(
        `UPDATE jobs SET status = 'succeeded', attempt = 1, finished_at = now() - (95 - batch_row) * interval '1 s'
          WHERE batch_id = $1 AND batch_row BETWEEN 32 AND 31 + $2`,
        [id, count],
      );
    await endEverySecond(60);
    // 100 of 160 are left; 60 took 60 s.
    expect(await eta()).toBeGreaterThanOrEqual(100);
    expect(await eta()).toBeLessThan(160);
    if (first) await attempts.fail(first, new AppError('target_dns_error'));
    await bulk.database.query(
      `UPDATE jobs SET status = 'succeeded', finished_at = now() WHERE batch_id = $1 AND status = 'queued'`,
      [id],
    );
    expect(await eta()).toBe(0);
  });
});
