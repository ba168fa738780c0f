import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DatabaseService } from '@app/database';
import { insertBatch, type NewBatch } from '../../../../test/support/batch-rows.js';
import { startBulk, type TestBulk } from '../../../../test/support/bulk.js';
import { eventually } from '../../../../test/support/eventually.js';
import { BatchesService } from '../batches.service.js';
import { BatchAnnouncerService } from './batch-announcer.service.js';
import { BatchAuditService } from './batch-audit.service.js';
import { BatchCountsRepository } from './batch-counts.repository.js';
import { BatchExpiryRepository } from './batch-expiry.repository.js';

const HOOK = 'https://example.com/hook';

describe('the upkeep of batches', () => {
  let bulk: TestBulk;
  let batches: BatchesService;
  const { signal } = new AbortController();

  beforeAll(async () => {
    bulk = await startBulk();
    batches = bulk.app.get(BatchesService);
  });

  afterAll(async () => {
    await bulk.close();
  });

  const insert = async (more: Partial<NewBatch> = {}) => {
    const accountId = await bulk.account();
    return { accountId, ...(await insertBatch(bulk.database, { accountId, rows: 2, ...more })) };
  };
  const endAll = (id: string): Promise<unknown> =>
    bulk.database.query(
      `UPDATE jobs SET status = 'succeeded', finished_at = clock_timestamp()
        WHERE batch_id = $1 AND status = 'queued'`,
      [id],
    );

  describe(BatchAnnouncerService.name, () => {
    const announcer = (): BatchAnnouncerService => bulk.app.get(BatchAnnouncerService);
    const events = async (ids: readonly string[]) => {
      const { rows } = await bulk.database.query<{ subject_id: string; type: string; body: string }>(
        `SELECT subject_id, type, body FROM webhook_deliveries WHERE subject_id = ANY($1)`,
        [ids],
      );
      return rows;
    };

    it('announces each end once, also with concurrent announcers', async () => {
      const ids: string[] = [];
      // More than one transaction announces.
      for (let i = 0; i < 60; i++) ids.push((await insert({ rows: 1, webhookUrl: HOOK })).id);
      await bulk.database.query(
        `UPDATE jobs SET status = 'succeeded', finished_at = now() WHERE batch_id = ANY($1)`,
        [ids],
      );
      const announced = await Promise.all([1, 2, 3].map(() => announcer().announceAll(signal)));
      expect(announced.reduce((sum, some) => sum + some, 0)).toBe(60);
      expect((await events(ids)).map((event) => event.subject_id).sort()).toEqual([...ids].sort());
      expect(await announcer().announceAll(signal)).toBe(0);
    });

    it('announces other ends while another process is announcing one', async () => {
      const [held, other] = [
        await insert({ rows: 1, webhookUrl: HOOK }),
        await insert({ rows: 1, webhookUrl: HOOK }),
      ];
      for (const { id } of [held, other]) await endAll(id);
      await using session = await bulk.database.session();
      await session.query('BEGIN');
      await session.query('SELECT FROM batches WHERE id = $1 FOR UPDATE', [held.id]);
      expect(await announcer().announceAll(signal)).toBe(1);
      expect(await events([held.id, other.id])).toMatchObject([{ subject_id: other.id }]);
      await session.query('ROLLBACK');
      expect(await announcer().announceAll(signal)).toBe(1);
    });

    it('sends the record of the batch without its webhook', async () => {
      const completed = await insert({ rejected: 1, webhookUrl: HOOK });
      const canceled = await insert({ webhookUrl: HOOK });
      await endAll(completed.id);
      await batches.cancel(canceled.accountId, canceled.id);
      await announcer().announceAll(signal);
      const [first] = await events([completed.id]);
      expect(first?.type).toBe('batch.completed');
      expect(JSON.parse(first?.body ?? '')).toEqual({
        type: 'batch.completed',
        timestamp: expect.any(String),
        data: {
          id: completed.id,
          status: 'completed',
          retry_of: null,
          total: 3,
          counts: { queued: 0, running: 0, succeeded: 2, failed: 1, canceled: 0 },
          rejected: 1,
          progress: 1,
          eta_s: 0,
          created_at: expect.any(String),
          started_at: null,
          finished_at: expect.any(String),
          results_url: `/v1/bulk/${completed.id}/results`,
          download_url: `/v1/bulk/${completed.id}/download`,
        },
      });
      expect(await events([canceled.id])).toMatchObject([{ type: 'batch.canceled' }]);
    });

    it('announces neither an unfinished batch nor one without a webhook', async () => {
      const open = await insert({ webhookUrl: HOOK });
      const quiet = await insert();
      await endAll(quiet.id);
      await announcer().announceAll(signal);
      expect(await events([open.id, quiet.id])).toEqual([]);
    });
  });

  describe(BatchAuditService.name, () => {
    /** What the audit finds about this batch. It audits a few batches at a time, so it runs often enough for all of them twice. */
    const findings = async (id: string) => {
      const audit = bulk.app.get(BatchAuditService);
      const found = [];
      const { rows } = await bulk.database.query<{ count: number }>('SELECT count(*)::int FROM batches');
      for (let turn = 0; turn < 4 + (rows[0]?.count ?? 0) / 5; turn++)
        found.push(...(await audit.auditNext()));
      return found.filter(({ batchId }) => batchId === id);
    };

    it('finds nothing if the counts are correct', async () => {
      const [open, over] = [await insert(), await insert({ rejected: 1 })];
      await endAll(over.id);
      expect([await findings(open.id), await findings(over.id)]).toEqual([[], []]);
    });

    it('leaves a finished batch alone of which rows have expired, and corrects one that lacks none', async () => {
      const [expired, whole] = [await insert(), await insert()];
      for (const { id } of [expired, whole]) await endAll(id);
      await bulk.database.query(`DELETE FROM jobs WHERE id = $1`, [expired.rowIds[0]]);
      expect(await findings(expired.id)).toEqual([]);
      expect(await batches.find(expired.accountId, expired.id)).toMatchObject({ total: 2, succeeded: 2 });
      await bulk.database.query(`UPDATE batches SET succeeded = 1 WHERE id = $1`, [whole.id]);
      expect(await findings(whole.id)).toHaveLength(1);
    });

    it('corrects wrong counts once', async () => {
      const { id, accountId } = await insert({ rejected: 1 });
      await bulk.database.query(`UPDATE batches SET queued = 7, succeeded = 3 WHERE id = $1`, [id]);
      expect(await findings(id)).toEqual([
        {
          batchId: id,
          counted: { queued: 7, running: 0, succeeded: 3, failed: 1, canceled: 0 },
          actual: { queued: 2, running: 0, succeeded: 0, failed: 1, canceled: 0 },
        },
      ]);
      expect(await findings(id)).toEqual([]);
      expect(await bulk.differences(accountId)).toEqual([]);
      expect(await batches.find(accountId, id)).toMatchObject({ status: 'queued', startedAt: null });
    });

    it.each([
      { to: `queued = 5, finished_at = NULL, status = 'running'`, status: 'completed' },
      { to: `finished_at = NULL, status = 'queued'`, status: 'completed' },
      { to: `failed = 9, status = 'canceled'`, status: 'canceled' },
    ])('ends a batch whose rows have ended: $to', async ({ to, status }) => {
      const { id, accountId } = await insert();
      await endAll(id);
      await bulk.database.query(`UPDATE batches SET ${to} WHERE id = $1`, [id]);
      const waited = batches.waitForEnd(await batches.find(accountId, id), 600_000, signal);
      expect(await findings(id)).toHaveLength(1);
      expect(await waited).toMatchObject({ status, succeeded: 2, finishedAt: expect.any(Date) });
      expect(await findings(id)).toEqual([]);
    });

    it.each([`finished_at = now(), status = 'completed'`, `finished_at = now(), status = 'canceled'`])(
      'reopens a batch with unfinished rows: %s',
      async (to) => {
        const { id, accountId } = await insert();
        await bulk.database.query(`UPDATE batches SET ${to} WHERE id = $1`, [id]);
        expect(await findings(id)).toHaveLength(1);
        expect(await batches.find(accountId, id)).toMatchObject({ status: 'queued', finishedAt: null });
        await endAll(id);
        expect(await batches.find(accountId, id)).toMatchObject({ status: 'completed', succeeded: 2 });
      },
    );

    it('counts a row once that moves while the correction waits for it', async () => {
      const { id, accountId, rowIds } = await insert();
      await bulk.database.query(`UPDATE batches SET queued = 99 WHERE id = $1`, [id]);
      await using session = await bulk.database.session();
      await session.query('BEGIN');
      await session.query(`UPDATE jobs SET status = 'succeeded', finished_at = now() WHERE id = $1`, [
        rowIds[0],
      ]);
      const correcting = bulk.app
        .get(DatabaseService)
        .transaction((transaction) => bulk.app.get(BatchCountsRepository).correct(transaction, id));
      await eventually('the correction waits', async () => (await bulk.database.waitingForLocks()) > 0);
      await session.query('COMMIT');
      await correcting;
      expect(await bulk.differences(accountId)).toEqual([]);
    });
  });

  describe(BatchExpiryRepository.name, () => {
    it('lists a batch when all its rows are deleted and its end is announced', async () => {
      const expiry = bulk.app.get(BatchExpiryRepository);
      const { id } = await insert({ webhookUrl: HOOK });
      await endAll(id);
      const isDue = async (ttlS = 0): Promise<boolean> => (await expiry.listDue(ttlS, 1_000)).includes(id);
      const deleteRows = (row: string): Promise<unknown> =>
        bulk.database.query(`DELETE FROM jobs WHERE batch_id = $1 AND batch_row <= $2`, [id, row]);
      await deleteRows('1');
      await bulk.app.get(BatchAnnouncerService).announceAll(signal);
      expect(await isDue()).toBe(false);
      await deleteRows('2');
      expect([await isDue(), await isDue(60)]).toEqual([true, false]);
      await bulk.app.get(DatabaseService).transaction((transaction) => expiry.delete(transaction, [id]));
      expect(await isDue()).toBe(false);
    });

    it('keeps a batch whose end is not announced yet', async () => {
      const { id } = await insert({ rows: 0, rejected: 1, webhookUrl: HOOK });
      await bulk.database.query(`DELETE FROM jobs WHERE batch_id = $1`, [id]);
      expect(await bulk.app.get(BatchExpiryRepository).listDue(0, 1_000)).not.toContain(id);
    });
  });
});
