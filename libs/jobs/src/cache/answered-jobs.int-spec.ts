import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CachedJobs, PAGE } from '../../../../test/support/cached-jobs.js';
import { eventually } from '../../../../test/support/eventually.js';
import { codeOf } from '../../../../test/support/modules.js';
import { parseOptions } from '@app/capture';
import { JobsService } from '../jobs.service.js';

describe('a job that the cache answers', () => {
  let jobs: CachedJobs;
  let captureId: string;

  beforeAll(async () => {
    jobs = await CachedJobs.open();
  });

  afterAll(() => jobs.close());

  beforeEach(async () => {
    await jobs.useAccount(2);
    captureId = await jobs.keep();
  });

  const setAllowance = (allowance: number) =>
    jobs.database.query(`UPDATE accounts SET allowance = $2 WHERE id = $1`, [jobs.accountId, allowance]);

  it('answers a job at once, with an empty allowance and without a charge', async () => {
    await setAllowance(1);
    const { job, record, replayed } = await jobs.submit({ ...PAGE, reference: 'again' });
    expect(replayed).toBe(false);
    expect(record).toMatchObject({
      id: job.id,
      status: 'succeeded',
      reference: 'again',
      billable: false,
      attempts: 0,
      queue_position: null,
      timings: null,
      started_at: null,
      sha256: 'ab',
      http_status: 200,
      cache: { status: 'hit', age_s: 0 },
      result_url: `/v1/captures/${job.id}/result`,
    });
    expect(job).toMatchObject({ resultKey: `captures/${captureId}/1.png`, originId: captureId });
    expect(await jobs.usage()).toEqual({ used: 1, charged: 1 });
    const refused: unknown = await jobs.submit({ url: PAGE.url }).catch((error: unknown) => error);
    expect(codeOf(refused)).toBe('allowance_exhausted');
  });

  it('never answers with the capture of another account', async () => {
    const owner = jobs.accountId;
    jobs.accountId = await jobs.database.addAccount({ allowance: 2, concurrency: 50 });
    const { job, record } = await jobs.submit();
    expect(record).toMatchObject({ status: 'queued' });
    expect(job).toMatchObject({ resultKey: null, originId: null });
    jobs.accountId = owner;
    const answered = await jobs.submit();
    expect(answered.job).toMatchObject({ originId: captureId });
    // Their keys do not show that they captured the same page.
    expect(answered.record.cache?.key).not.toBe(record.cache?.key);
  });

  it('announces the end with the record', async () => {
    const { job } = await jobs.submit(PAGE, 'https://hooks.test/end');
    const { rows } = await jobs.database.query<{ type: string; body: string }>(
      `SELECT type, body FROM webhook_deliveries WHERE subject_id = $1`,
      [job.id],
    );
    expect(rows.map(({ type }) => type)).toEqual(['capture.succeeded']);
    expect(JSON.parse(rows[0]?.body ?? '')).toMatchObject({
      data: { id: job.id, billable: false, cache: { status: 'hit' } },
    });
  });

  it('answers several of many jobs of one group, and stores the others', async () => {
    await setAllowance(2);
    const others = ['b', 'c'].map((name) => ({ ...PAGE, url: `https://${name}.test/` }));
    const results = await Promise.allSettled(
      [PAGE, others[0], PAGE, others[1]].map((each) => jobs.submit(each)),
    );
    // The allowance has one unit left, for one of the two that need a visit.
    expect(
      results.map((each) => (each.status === 'fulfilled' ? each.value.record.status : each.status)),
    ).toEqual(['succeeded', 'queued', 'succeeded', 'rejected']);
    expect(await jobs.usage()).toEqual({ used: 2, charged: 1 });
  });

  it('makes a new capture when the kept one is too old, for another key and with force', async () => {
    await setAllowance(9);
    await jobs.age(100);
    const statusOf = async (options: object) => (await jobs.submit(options)).record.status;
    expect(await statusOf({ ...PAGE, cache_ttl_s: 99 })).toBe('queued');
    expect(await statusOf({ ...PAGE, cache_ttl_s: 101 })).toBe('succeeded');
    expect(await statusOf({ ...PAGE, cache_key: 'v2' })).toBe('queued');
    expect(await statusOf({ ...PAGE, force: true })).toBe('queued');
    expect(await statusOf({ url: PAGE.url })).toBe('queued');
  });

  it('answers with a stale capture, and makes a new one that is charged', async () => {
    await jobs.age(700);
    const { record } = await jobs.submit({ ...PAGE, stale_ttl_s: 600 });
    expect(record).toMatchObject({
      status: 'succeeded',
      billable: false,
      cache: { status: 'stale', age_s: 700 },
    });
    const isRenewed = async () => (await jobs.rows()).some(({ cacheStatus }) => cacheStatus === 'bypass');
    await eventually('a job renews the capture', isRenewed);
    const [renewing = '', ...more] = await jobs.dispatch();
    expect(more).toEqual([]);
    await jobs.succeed(renewing);
    expect((await jobs.submit()).job).toMatchObject({ cacheStatus: 'hit', originId: renewing });
    expect(await jobs.usage()).toEqual({ used: 2, charged: 2 });
  });

  it('answers with a stale capture for stale_ttl_s seconds after it was fresh, and no longer', async () => {
    await setAllowance(9);
    await jobs.age(700);
    const stateOf = async (stale_ttl_s: number) => {
      const { status, cache } = (await jobs.submit({ ...PAGE, stale_ttl_s })).record;
      return [status, cache?.status];
    };
    expect(await stateOf(95)).toEqual(['queued', null]);
    expect(await stateOf(110)).toEqual(['succeeded', 'stale']);
  });

  it('repeats its answer under an Idempotency-Key, even if the cache holds a newer capture', async () => {
    const submit = () =>
      jobs.app.get(JobsService).submit({
        accountId: jobs.accountId,
        source: 'job',
        options: parseOptions(PAGE),
        idempotency: { key: 'k1', fingerprint: createHash('sha256').update('a').digest() },
      });
    const first = await submit();
    await setAllowance(9);
    const forced = await jobs.submit({ ...PAGE, force: true });
    await jobs.dispatch();
    await jobs.succeed(forced.job.id);
    const again = await submit();
    expect(again).toMatchObject({
      replayed: true,
      record: JSON.parse(JSON.stringify(first.record)) as object,
    });
    expect((await jobs.rows()).map(({ id }) => id)).toEqual([captureId, first.job.id, forced.job.id]);
  });

  it('stores a job whose capture loses its files while it is accepted', async () => {
    await using session = await jobs.database.session();
    await session.query('BEGIN');
    await session.query(`SELECT FROM shared_files WHERE id = $1 FOR UPDATE`, [captureId]);
    const accepted = jobs.submit();
    await eventually('the acceptance waits for the files', async () => {
      const { rows } = await jobs.database.query(`SELECT FROM pg_locks WHERE NOT granted`);
      return rows.length > 0;
    });
    await session.query(`UPDATE jobs SET result_key = NULL WHERE id = $1`, [captureId]);
    await session.query('COMMIT');
    expect((await accepted).record).toMatchObject({ status: 'queued', cache: { status: null } });
    expect(await jobs.usage()).toEqual({ used: 2, charged: 1 });
    expect(await jobs.rows()).toHaveLength(2);
  });
});
