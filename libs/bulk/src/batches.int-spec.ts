import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AttemptsService, JobsService, JobSignalsService, RecoveryService } from '@app/jobs';
import { AppError, newId } from '@app/kernel';
import { UsageService } from '@app/usage';
import { dispatchRows, insertBatch } from '../../../test/support/batch-rows.js';
import { startBulk, type TestBulk } from '../../../test/support/bulk.js';
import { eventually } from '../../../test/support/eventually.js';
import { seededRandom } from '../../../test/support/seeded-random.js';
import { BatchesService } from './batches.service.js';

describe(BatchesService.name, () => {
  let bulk: TestBulk;
  let batches: BatchesService;
  let attempts: AttemptsService;
  let jobs: JobsService;

  beforeAll(async () => {
    bulk = await startBulk();
    batches = bulk.app.get(BatchesService);
    attempts = bulk.app.get(AttemptsService);
    jobs = bulk.app.get(JobsService);
  });

  afterAll(async () => {
    await bulk.close();
  });

  const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => null,
      (error: unknown) => (error instanceof AppError ? error.code : error),
    );

  it('cancels thousands of rows at once, and releases their units and slots', async () => {
    const accountId = await bulk.account();
    const other = await insertBatch(bulk.database, { accountId, rows: 3 });
    const { id, rowIds } = await insertBatch(bulk.database, { accountId, rows: 10_000, rejected: 5 });
    await dispatchRows(bulk.database, rowIds.slice(0, 300));
    await bulk.database.query(`UPDATE jobs SET secrets = '\\x01' WHERE batch_id = $1`, [id]);
    for (const row of rowIds.slice(5, 55)) await attempts.claim(row, 'test');
    expect(await batches.cancel(accountId, id)).toMatchObject({
      status: 'canceled',
      queued: 0,
      running: 0,
      failed: 5,
      canceled: 10_000,
      finishedAt: expect.any(Date),
    });
    expect(await bulk.differences(accountId)).toEqual([]);
    expect(await bulk.app.get(UsageService).report(accountId)).toMatchObject({
      used: other.rowIds.length,
      concurrency: { remaining: 1_000 },
    });
    const { rows } = await bulk.database.query(
      `SELECT count(*)::int AS count FROM jobs
        WHERE batch_id = $1 AND status = 'canceled' AND cancel_reason = 'client_request' AND secrets IS NULL
          AND worker_id IS NULL AND lease_until IS NULL AND finished_at IS NOT NULL`,
      [id],
    );
    expect(rows).toEqual([{ count: 10_000 }]);
  });

  it('signals canceled captures to workers, and ended ones to waiting callers', async () => {
    const accountId = await bulk.account();
    const { id, rowIds } = await insertBatch(bulk.database, { accountId, rows: 4 });
    const [running = '', dispatched = ''] = rowIds;
    await dispatchRows(bulk.database, [running, dispatched]);
    await attempts.claim(running, 'test');
    const signalled: Record<'canceled' | 'finished', string[]> = { canceled: [], finished: [] };
    const signals = bulk.app.get(JobSignalsService);
    for (const signal of ['canceled', 'finished'] as const) {
      signals.on(signal, (jobId) => signalled[signal].push(jobId));
    }
    await batches.cancel(accountId, id);
    await eventually(
      'both signals arrive',
      () => signalled.finished.length > 1 && signalled.canceled.length > 0,
    );
    expect(signalled).toEqual({ canceled: [running], finished: [running, dispatched].sort() });
  });

  it('leaves a batch completed whose last row ends while its cancellation waits', async () => {
    const accountId = await bulk.account();
    const { id } = await insertBatch(bulk.database, { accountId, rows: 1 });
    await using session = await bulk.database.session();
    await session.query('BEGIN');
    await session.query(`UPDATE jobs SET status = 'succeeded', finished_at = now() WHERE batch_id = $1`, [
      id,
    ]);
    const canceling = codeOf(batches.cancel(accountId, id));
    await eventually('the cancellation waits', async () => (await bulk.database.waitingForLocks()) > 0);
    await session.query('COMMIT');
    expect(await canceling).toBe('job_finished');
    expect(await batches.find(accountId, id)).toMatchObject({ status: 'completed', succeeded: 1 });
  });

  it('ignores late results of canceled rows', async () => {
    const accountId = await bulk.account();
    const { id, rowIds } = await insertBatch(bulk.database, { accountId, rows: 1 });
    await dispatchRows(bulk.database, rowIds);
    const job = await attempts.claim(rowIds[0] ?? '', 'test');
    await batches.cancel(accountId, id);
    const attempt = { id: rowIds[0] ?? '', attempt: job?.attempt ?? 0 };
    expect(await attempts.fail(attempt, new AppError('target_dns_error'))).toBe('lost');
    expect(await attempts.renew('test', rowIds)).toEqual([]);
    expect(await bulk.differences(accountId)).toEqual([]);
  });

  it('marks the statistics of past hours with canceled rows as stale', async () => {
    const accountId = await bulk.account();
    const { id } = await insertBatch(bulk.database, { accountId, rows: 3 });
    await bulk.database.query(`UPDATE jobs SET created_at = now() - interval '3 hours' WHERE batch_id = $1`, [
      id,
    ]);
    await batches.cancel(accountId, id);
    const { rows } = await bulk.database.query(`SELECT FROM job_hours_stale WHERE account_id = $1`, [
      accountId,
    ]);
    expect(rows).toHaveLength(1);
  });

  it('refuses another account, an unknown id and an invalid id alike', async () => {
    const accountId = await bulk.account();
    const { id } = await insertBatch(bulk.database, { accountId, rows: 1 });
    for (const [whose, which] of [
      [await bulk.account(), id],
      [accountId, newId()],
      [accountId, 'x'],
    ] as const) {
      expect(await codeOf(batches.cancel(whose, which))).toBe('not_found');
    }
    expect(await batches.find(accountId, id)).toMatchObject({ status: 'queued' });
  });

  it('never deadlocks with workers that claim, renew and end rows, nor with other cancellations', async () => {
    const random = seededRandom(6);
    const shuffled = <T>(from: readonly T[]): T[] =>
      from
        .map((value) => ({ value, place: random() }))
        .sort((a, b) => a.place - b.place)
        .map(({ value }) => value);
    const accountId = await bulk.account();
    const recovery = bulk.app.get(RecoveryService);
    for (let round = 0; round < 4; round++) {
      const { id, rowIds } = await insertBatch(bulk.database, { accountId, rows: 600 });
      const inFlight = shuffled(rowIds).slice(0, 300);
      await dispatchRows(bulk.database, inFlight);
      // Hinted at long ago, with slots that are about to end, so that every reconciliation extends them.
      await bulk.database.query(
        `UPDATE jobs SET dispatched_at = now() - interval '1 min' WHERE batch_id = $1 AND dispatched_at IS NOT NULL`,
        [id],
      );
      let isOver = false;
      const worker = async (name: string, own: readonly string[]): Promise<void> => {
        for (const row of own) {
          const job = await attempts.claim(row, name);
          // All rows, in any order; those of other workers are ignored.
          await attempts.renew(name, shuffled(inFlight));
          if (job && random() < 0.3) await attempts.fail(job, new AppError('target_dns_error'));
          if (isOver) return;
        }
      };
      const reconciler = async (): Promise<void> => {
        while (!isOver) {
          await recovery.repeatHints();
          await bulk.database.query(
            `UPDATE concurrency_slots SET held_until = now() + interval '1 s' WHERE job_id = $1`,
            [shuffled(inFlight)[0]],
          );
        }
      };
      const canceler = async (): Promise<void> => {
        for (const row of shuffled(rowIds).slice(0, 60)) {
          const code = await codeOf(jobs.cancel(accountId, row, 'client_request'));
          expect([null, 'job_finished']).toContain(code);
          if (isOver) return;
        }
      };
      const others = [
        ...[0, 1, 2, 3].map((i) =>
          worker(
            `worker-${i}`,
            inFlight.filter((_, place) => place % 4 === i),
          ),
        ),
        canceler(),
        reconciler(),
      ];
      const canceled = await eventually('the workers have ended some rows', async () => {
        return (await batches.find(accountId, id)).failed > 3;
      })
        .then(() => batches.cancel(accountId, id))
        .finally(() => (isOver = true));
      await Promise.all(others);
      expect(canceled).toMatchObject({ status: 'canceled', queued: 0, running: 0 });
      expect(await batches.find(accountId, id)).toMatchObject({ status: 'canceled', queued: 0, running: 0 });
      expect(await bulk.differences(accountId)).toEqual([]);
    }
    const { rows } = await bulk.database.query(
      `SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()`,
    );
    expect(rows).toEqual([{ deadlocks: 0 }]);
  });

  it('cancels a batch once for concurrent requests', async () => {
    const accountId = await bulk.account();
    const { id } = await insertBatch(bulk.database, { accountId, rows: 200 });
    const answers = await Promise.all(Array.from({ length: 5 }, () => batches.cancel(accountId, id)));
    for (const answer of answers) expect(answer).toMatchObject({ status: 'canceled', canceled: 200 });
    expect(await bulk.differences(accountId)).toEqual([]);
  });
});
