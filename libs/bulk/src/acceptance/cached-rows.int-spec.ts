import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseOptions } from '@app/capture';
import { AppError } from '@app/kernel';
import { CachedJobs, PAGE } from '../../../../test/support/cached-jobs.js';
import { eventually } from '../../../../test/support/eventually.js';
import { codeOf } from '../../../../test/support/modules.js';
import {
  BatchAcceptanceService,
  BatchAnnouncerService,
  BatchAuditService,
  BatchesService,
  BatchUpkeepModule,
  BulkModule,
  type AcceptedBatch,
  type BatchRequest,
} from '../index.js';

const OTHER = { ...PAGE, url: 'https://b.test/' };

describe('rows of batches that ask for the cache', () => {
  let jobs: CachedJobs;

  beforeAll(async () => {
    jobs = await CachedJobs.open({ imports: [BatchUpkeepModule, BulkModule] });
  });

  afterAll(() => jobs.close());

  beforeEach(async () => {
    await jobs.useAccount(10);
    await jobs.database.query('TRUNCATE batches, webhook_deliveries');
  });

  const submit = (rows: readonly object[], more: Partial<BatchRequest> = {}) =>
    jobs.app.get(BatchAcceptanceService).submit({
      accountId: jobs.accountId,
      kind: 'json',
      onInvalid: 'reject',
      dryRun: false,
      rows: (async function* () {
        for (const [i, each] of rows.entries())
          yield await Promise.resolve({ row: i + 1, options: parseOptions(each) });
      })(),
      ...more,
    });
  const accept = async (rows: readonly object[], more: Partial<BatchRequest> = {}) =>
    (await submit(rows, more)) as AcceptedBatch;
  const rowsOf = async ({ batch }: AcceptedBatch) =>
    (await jobs.rows()).filter(({ batchId }) => batchId === batch.id);
  const countsOf = async ({ batch: { id } }: AcceptedBatch) => {
    const { status, queued, running, succeeded, failed, canceled } = await jobs.app
      .get(BatchesService)
      .find(jobs.accountId, id);
    return { status, counts: [queued, running, succeeded, failed, canceled] };
  };
  /** Expects that accounts and batches agree with their rows. */
  const expectUsage = async (used: number, charged: number) => {
    expect(await jobs.usage()).toEqual({ used, charged });
    expect(await jobs.app.get(BatchAuditService).auditNext()).toEqual([]);
  };

  it('completes a batch of answered rows at once, with an empty allowance', async () => {
    await jobs.keep();
    await jobs.database.query(`UPDATE accounts SET allowance = 1 WHERE id = $1`, [jobs.accountId]);
    const accepted = await accept([PAGE, { ...PAGE, reference: 'r2' }], {
      webhookUrl: 'https://hooks.test/end',
    });
    expect(accepted.record).toMatchObject({
      status: 'completed',
      counts: { queued: 0, running: 0, succeeded: 2, failed: 0, canceled: 0 },
      progress: 1,
      eta_s: 0,
      started_at: null,
    });
    expect(accepted.record.finished_at).not.toBeNull();
    expect(await rowsOf(accepted)).toMatchObject(
      Array(2).fill({ status: 'succeeded', cacheStatus: 'hit', attempt: 0 }),
    );
    expect(await jobs.app.get(BatchAnnouncerService).announceAll(new AbortController().signal)).toBe(1);
    await expectUsage(1, 1);
  });

  it('reserves units for the other rows only, and says so in a dry run', async () => {
    await jobs.keep();
    const rows = [PAGE, OTHER, OTHER, { ...PAGE, force: true }, { url: PAGE.url }];
    const allow = (allowance: number) =>
      jobs.database.query(`UPDATE accounts SET allowance = $2 WHERE id = $1`, [jobs.accountId, allowance]);
    const dryRun = async () => {
      const outcome = await submit(rows, { dryRun: true });
      return outcome.kind === 'dry_run' && [outcome.report.would_accept, outcome.report.allowance];
    };
    await allow(4);
    expect(await dryRun()).toEqual([false, { needed: 4, available: 3 }]);
    const refused: unknown = await submit(rows).catch((error: unknown) => error);
    expect(codeOf(refused)).toBe('allowance_exhausted');
    expect((refused as AppError).message).toContain('4');
    await allow(5);
    expect(await dryRun()).toEqual([true, { needed: 4, available: 4 }]);
    const accepted = await accept(rows);
    expect(accepted.record).toMatchObject({ status: 'queued', counts: { queued: 4, succeeded: 1 } });
    await expectUsage(5, 1);
  });

  it('visits the page of identical rows once', async () => {
    const accepted = await accept([PAGE, OTHER, PAGE, PAGE, OTHER, { url: 'https://c.test/' }]);
    const inFlight = await jobs.dispatch();
    expect(inFlight).toHaveLength(3);
    await expectUsage(6, 0);
    for (const id of inFlight) await jobs.succeed(id);
    expect(await jobs.settle()).toBe(3);
    expect(await countsOf(accepted)).toEqual({ status: 'completed', counts: [0, 0, 6, 0, 0] });
    expect((await rowsOf(accepted)).map(({ cacheStatus }) => cacheStatus)).toEqual([
      ...[null, null],
      ...['coalesced', 'coalesced', 'coalesced'],
      null,
    ]);
    await expectUsage(3, 3);
  });

  it('ends rows of several batches with the error of one leader', async () => {
    const [one, two] = [await accept([PAGE, PAGE]), await accept([PAGE, OTHER])];
    const [leader = '', other = ''] = await jobs.dispatch();
    await jobs.fail(leader, new AppError('target_dns_error'));
    await jobs.succeed(other);
    await jobs.settle();
    expect(await countsOf(one)).toEqual({ status: 'completed', counts: [0, 0, 0, 2, 0] });
    expect(await countsOf(two)).toEqual({ status: 'completed', counts: [0, 0, 1, 1, 0] });
    await expectUsage(1, 1);
  });

  it('is canceled with leaders and followers; followers elsewhere go on', async () => {
    const canceled = await accept([PAGE, PAGE, OTHER]);
    const kept = await accept([OTHER, PAGE]);
    const [leader = ''] = await jobs.dispatch();
    await jobs.claim(leader);
    await jobs.app.get(BatchesService).cancel(jobs.accountId, canceled.batch.id);
    expect(await countsOf(canceled)).toEqual({ status: 'canceled', counts: [0, 0, 0, 0, 3] });
    expect((await rowsOf(canceled)).map(({ followsId }) => followsId)).toEqual([null, null, null]);
    await expectUsage(2, 0);
    // The other leader is a row of the other batch, because batches take turns.
    expect(await jobs.settle()).toBe(1);
    for (const id of await jobs.dispatch()) await jobs.succeed(id);
    expect(await countsOf(kept)).toEqual({ status: 'completed', counts: [0, 0, 2, 0, 0] });
    await expectUsage(2, 2);
  });

  it('has stale captures made again, each once', async () => {
    await jobs.keep();
    await jobs.age(700);
    const accepted = await accept(Array<object>(5).fill({ ...PAGE, stale_ttl_s: 600 }));
    expect(accepted.record).toMatchObject({ status: 'completed' });
    const renewing = async () => (await jobs.rows()).filter(({ cacheStatus }) => cacheStatus === 'bypass');
    await eventually('a job renews the capture', async () => (await renewing()).length > 0);
    await accept(Array<object>(5).fill({ ...PAGE, stale_ttl_s: 600 }));
    expect(await renewing()).toHaveLength(1);
    await expectUsage(2, 1);
  });

  it('repeats its answer under an Idempotency-Key', async () => {
    await jobs.keep();
    const key = () => ({ key: 'b1', fingerprint: createHash('sha256').update('b').digest() });
    const first = await accept([PAGE, OTHER], { idempotency: key });
    for (const id of await jobs.dispatch()) await jobs.succeed(id);
    const again = await accept([PAGE, OTHER], { idempotency: key });
    expect(again).toMatchObject({
      replayed: true,
      record: JSON.parse(JSON.stringify(first.record)) as object,
    });
    await expectUsage(2, 2);
  });
});
