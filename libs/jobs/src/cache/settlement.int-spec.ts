import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@app/kernel';
import { CachedJobs, PAGE } from '../../../../test/support/cached-jobs.js';
import { eventually } from '../../../../test/support/eventually.js';
import { secondsFrom } from '../../../../test/support/seconds-from.js';
import { AttemptsService, JobsService, RecoveryService } from '../index.js';
import { SettlementService } from './settlement.service.js';

const HOOK = 'https://hooks.test/end';

describe(SettlementService.name, () => {
  let jobs: CachedJobs;
  /** Ids of five identical jobs, the first of which leads. */
  let leader: string;
  let followers: string[];

  beforeAll(async () => {
    jobs = await CachedJobs.open();
  });

  afterAll(() => jobs.close());

  beforeEach(async () => {
    await jobs.useAccount();
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push((await jobs.submit({ ...PAGE, reference: `r${n}` }, HOOK)).job.id);
    const [inFlight = '', ...more] = await jobs.dispatch();
    expect(more).toEqual([]);
    leader = inFlight;
    followers = ids.filter((id) => id !== leader);
    expect(followers).toHaveLength(4);
  });

  const row = async (id: string) => (await jobs.rows()).find((each) => each.id === id);
  const states = async () =>
    (await jobs.rows()).map(({ status, followsId }) => (followsId === null ? status : 'follows'));
  const announced = async () => {
    const { rows } = await jobs.database.query<{ type: string; body: string }>(
      `SELECT type, body FROM webhook_deliveries WHERE account_id = $1 ORDER BY id`,
      [jobs.accountId],
    );
    return rows.map(({ type, body }) => ({ type, data: (JSON.parse(body) as { data: object }).data }));
  };

  it('leaves followers alone while their leader runs', async () => {
    expect(await states()).toEqual(['queued', ...Array<string>(4).fill('follows')]);
    await jobs.claim(leader);
    expect(await jobs.settle()).toBe(0);
    expect(await jobs.usage()).toEqual({ used: 5, charged: 0 });
  });

  it('ends followers with the files of the leader, without a charge', async () => {
    await jobs.succeed(leader);
    expect(await jobs.settle()).toBe(4);
    for (const id of followers) {
      expect(await row(id)).toMatchObject({
        status: 'succeeded',
        attempt: 0,
        cacheStatus: 'coalesced',
        cacheAgeS: secondsFrom(0),
        originId: leader,
        followsId: null,
        resultKey: `captures/${leader}/1.png`,
      });
    }
    expect(await jobs.usage()).toEqual({ used: 1, charged: 1 });
    expect(await jobs.settle()).toBe(0);
  });

  it('announces each end with the record of its own job', async () => {
    await jobs.succeed(leader);
    await jobs.settle();
    const events = await announced();
    expect(events.map(({ type }) => type)).toEqual(Array(5).fill('capture.succeeded'));
    expect(events.map(({ data }) => (data as { id: string }).id).sort()).toEqual(
      [leader, ...followers].sort(),
    );
    expect(events.at(-1)?.data).toMatchObject({
      billable: false,
      attempts: 0,
      timings: null,
      started_at: null,
      cache: { status: 'coalesced', age_s: 0 },
      http_status: 200,
      sha256: 'ab',
      options: { ...PAGE, reference: 'r4' },
    });
  });

  it('keeps the files of each follower for as long as it asked, but no longer than its record', async () => {
    const { job } = await jobs.submit({ ...PAGE, expires_in_s: 120 });
    const { job: lasting } = await jobs.submit({ ...PAGE, expires_in_s: 31_536_000 });
    await jobs.dispatch();
    await jobs.succeed(leader);
    await jobs.settle();
    const { rows } = await jobs.database.query<{ id: string; keptS: number }>(
      `SELECT id, extract(epoch FROM expires_at - finished_at)::int AS "keptS" FROM jobs WHERE id = ANY($1)`,
      [[job.id, lasting.id, followers[0]]],
    );
    expect(new Map(rows.map(({ id, keptS }) => [id, keptS]))).toEqual(
      new Map([
        [job.id, 120],
        [lasting.id, 7_776_000],
        [followers[0], 604_800],
      ]),
    );
  });

  it('fails followers with a permanent error of the leader', async () => {
    await jobs.fail(leader, new AppError('selector_not_found', { detail: 'No element matches h9.' }));
    expect(await jobs.settle()).toBe(4);
    expect(await states()).toEqual(Array(5).fill('failed'));
    for (const id of followers) {
      // Filters and statistics read the code, records the error.
      const expected = { errorCode: 'selector_not_found', cacheStatus: 'coalesced' };
      expect(await row(id)).toMatchObject(expected);
    }
    const record = (await announced()).at(-1);
    expect(record).toMatchObject({
      type: 'capture.failed',
      data: { billable: false, error: { code: 'selector_not_found', detail: 'No element matches h9.' } },
    });
    expect(await jobs.usage()).toEqual({ used: 0, charged: 0 });
  });

  /** Expects that one of the waiting jobs leads now, and that it serves the others. */
  async function expectNextLeader(charged = 1): Promise<void> {
    const [next = '', ...more] = await jobs.dispatch();
    expect(more).toEqual([]);
    expect(followers).toContain(next);
    await jobs.succeed(next);
    expect(await jobs.settle()).toBe(3);
    expect((await states()).filter((state) => state === 'succeeded')).toHaveLength(3 + charged);
    expect(await jobs.usage()).toEqual({ used: charged, charged });
  }

  it('lets one follower lead after a transient error has used up the attempts of the leader', async () => {
    for (let attempt = 1; attempt <= 3; attempt++) {
      expect(await jobs.settle()).toBe(0);
      await jobs.fail(leader, new AppError('target_connection_failed'));
    }
    expect(await row(leader)).toMatchObject({ status: 'failed', attempt: 3 });
    expect(await jobs.settle()).toBe(4);
    await expectNextLeader();
  });

  it('lets one follower lead when the leader is canceled, and tells the dispatchers at once', async () => {
    await using listener = await jobs.database.session();
    const heard: string[] = [];
    listener.on('notification', ({ payload = '' }) => heard.push(payload));
    await listener.query('LISTEN capture_job_waiting');
    await jobs.app.get(JobsService).cancel(jobs.accountId, leader, 'client_request');
    expect(await jobs.settle()).toBe(4);
    await eventually('the signal arrives', () => heard.some((id) => followers.includes(id)));
    expect(await jobs.usage()).toEqual({ used: 4, charged: 0 });
    await expectNextLeader();
  });

  it('waits for the attempt that replaces one whose worker was lost', async () => {
    await jobs.claim(leader);
    await jobs.database.query(`UPDATE jobs SET lease_until = now() - interval '1 s' WHERE id = $1`, [leader]);
    await jobs.app.get(RecoveryService).endAbandonedRuns();
    expect(await jobs.settle()).toBe(0);
    await jobs.succeed(leader);
    expect(await jobs.settle()).toBe(4);
    expect(await row(followers[0] ?? '')).toMatchObject({ resultKey: `captures/${leader}/2.png` });
    expect(await jobs.usage()).toEqual({ used: 1, charged: 1 });
  });

  it.each([
    ['files have expired', `UPDATE jobs SET expires_at = now() WHERE id = $1`],
    ['files were deleted', `UPDATE jobs SET result_key = NULL WHERE id = $1`],
    ['files are about to be deleted', `UPDATE shared_files SET doomed_at = now() WHERE id = $1`],
    ['record was deleted', `DELETE FROM jobs WHERE id = $1`],
  ])('lets one follower lead when the %s', async (_what, statement) => {
    await jobs.succeed(leader);
    await jobs.database.query(statement, [leader]);
    if (statement.includes('doomed')) {
      await jobs.database.query(`UPDATE cache_entries SET capture_id = NULL, captured_at = NULL`);
    }
    expect(await jobs.settle()).toBe(4);
    await expectNextLeaderOf(statement.startsWith('DELETE') ? 1 : 2);
  });

  async function expectNextLeaderOf(charged: number): Promise<void> {
    const [next = ''] = await jobs.dispatch();
    await jobs.succeed(next);
    expect(await jobs.settle()).toBe(3);
    const left = await jobs.rows();
    expect(left.filter(({ status }) => status !== 'succeeded')).toEqual([]);
    expect(left.filter(({ originId }) => originId === next)).toHaveLength(4);
    // A deleted record leaves its charge behind.
    expect((await jobs.usage()).charged).toBe(2);
    expect(left).toHaveLength(charged + 3);
  }

  it('cancels a follower alone, and returns its unit', async () => {
    const [first = ''] = followers;
    await jobs.app.get(JobsService).cancel(jobs.accountId, first, 'client_request');
    expect(await row(first)).toMatchObject({ status: 'canceled', followsId: null });
    expect(await jobs.usage()).toEqual({ used: 4, charged: 0 });
    await jobs.succeed(leader);
    expect(await jobs.settle()).toBe(3);
    expect(await jobs.usage()).toEqual({ used: 1, charged: 1 });
  });

  it('serves followers of several leaders in chunks, by one process at a time', async () => {
    await jobs.database.query(`UPDATE accounts SET allowance = 5000 WHERE id = $1`, [jobs.accountId]);
    await Promise.all(Array.from({ length: 1_100 }, () => jobs.submit()));
    const { job: other } = await jobs.submit({ ...PAGE, url: 'https://b.test/' });
    await jobs.submit({ ...PAGE, url: 'https://b.test/' });
    expect(await jobs.dispatch()).toEqual([leader, other.id]);
    await jobs.succeed(leader);
    await jobs.succeed(other.id);
    const settled = await Promise.all([jobs.settle(), jobs.settle(), jobs.settle()]);
    // A process that finds another one at work leaves the rest to it.
    expect(settled.reduce((sum, each) => sum + each, 0) + (await jobs.settle())).toBe(4 + 1_100 + 1);
    expect(await jobs.usage()).toEqual({ used: 2, charged: 2 });
  });

  it('returns the units of the followers of two accounts, each to its own', async () => {
    const first = jobs.accountId;
    jobs.accountId = await jobs.database.addAccount({ allowance: 100, concurrency: 50 });
    for (let n = 0; n < 3; n++) await jobs.submit();
    const [other = ''] = await jobs.dispatch();
    await jobs.succeed(leader);
    await jobs.succeed(other);
    expect(await jobs.settle()).toBe(4 + 2);
    expect(await jobs.usage()).toEqual({ used: 1, charged: 1 });
    jobs.accountId = first;
    expect(await jobs.usage()).toEqual({ used: 1, charged: 1 });
  });

  it('does not charge twice when the leader reports its success twice', async () => {
    const claimed = await jobs.claim(leader);
    await jobs.settle();
    expect(await jobs.app.get(AttemptsService).handBack(claimed)).toBe('again');
    await jobs.succeed(leader);
    await jobs.settle();
    await jobs.settle();
    expect(await jobs.usage()).toEqual({ used: 1, charged: 1 });
  });
});
