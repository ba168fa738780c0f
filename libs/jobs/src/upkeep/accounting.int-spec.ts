import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { parseOptions } from '@app/capture';
import { DatabaseService } from '@app/database';
import { AppError, Clock, ManualClock } from '@app/kernel';
import { LedgerService, UsageService, type AllowancePeriod } from '@app/usage';
import { createDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { startJobs, SUCCESS } from '../../../../test/support/jobs.js';
import { codeOf } from '../../../../test/support/modules.js';
import { AttemptsService, AccountingAuditService, JobsService, type Job } from '../index.js';

const OCTOBER = new Date('2026-10-31T23:59:59.900Z');
const NOVEMBER = new Date('2026-11-01T00:00:00.100Z');
const LATER_IN_NOVEMBER = new Date('2026-11-15T12:00:00.000Z');

/** One process of the service, with a connection pool and a clock of its own. */
interface Process {
  readonly app: INestApplicationContext;
  readonly clock: ManualClock;
  submit(source?: 'job' | 'sync', more?: object): Promise<Job>;
  end(job: Job, how: 'succeeded' | 'failed' | 'canceled'): Promise<void>;
  usage(): Promise<{ total: number; used: number; available: number }>;
}

describe('accounting', () => {
  let client: TestDatabase;
  let one: Process;
  let other: Process;
  let accountId: string;

  beforeAll(async () => {
    client = await createDatabase();
    [one, other] = [await startProcess(), await startProcess()];
  });

  afterAll(async () => {
    await Promise.all([one.app.close(), other.app.close()]);
    await client.drop();
  });

  beforeEach(async () => {
    await client.query('TRUNCATE jobs, concurrency_slots, usage_counters, usage_ledger, webhook_deliveries');
    for (const { clock } of [one, other]) clock.set(LATER_IN_NOVEMBER);
    accountId = await account('month');
  });

  async function startProcess(): Promise<Process> {
    const clock = new ManualClock(LATER_IN_NOVEMBER);
    const { app } = await startJobs({ database: client, replace: [[Clock, clock]] });
    const attempts = app.get(AttemptsService);
    const jobs = app.get(JobsService);
    return {
      app,
      clock,
      submit: async (source = 'job', more = {}) => {
        const options = parseOptions({ url: 'https://example.com', ...more });
        return (await jobs.submit({ accountId, source, options })).job;
      },
      end: async (job, how) => {
        if (how === 'canceled') return void (await jobs.cancel(job.accountId, job.id, 'client_request'));
        await client.query(`UPDATE jobs SET dispatched_at = now() WHERE id = $1`, [job.id]);
        const claimed = await attempts.claim(job.id, 'worker');
        if (!claimed) throw new Error('not claimed');
        if (how === 'succeeded') await attempts.succeed(claimed, SUCCESS);
        else await attempts.fail(claimed, new AppError('target_dns_error'));
      },
      usage: async () => {
        const { total, used, available } = await app.get(UsageService).report(accountId);
        return { total, used, available };
      },
    };
  }

  const account = (allowance_period: AllowancePeriod, allowance = 10): Promise<string> =>
    client.addAccount({ allowance, allowance_period, concurrency: 3 });
  const set = (column: string, value: unknown) =>
    client.query(`UPDATE accounts SET ${column} = $2 WHERE id = $1`, [accountId, value]);
  const ledger = async () =>
    (
      await client.query<{ job_id: string; account_id: string; period: string }>(
        `SELECT job_id, account_id, period FROM usage_ledger WHERE account_id = $1 ORDER BY at`,
        [accountId],
      )
    ).rows;
  const usedIn = async (period: string): Promise<number> => {
    const { rows } = await client.query<{ used: number }>(
      `SELECT used FROM usage_counters WHERE account_id = $1 AND period = $2`,
      [accountId, period],
    );
    return rows[0]?.used ?? 0;
  };

  describe('the ledger', () => {
    it('has one entry for a capture that succeeded, and none for any other', async () => {
      const [good, bad, canceled] = [await one.submit(), await one.submit(), await one.submit()];
      expect(await ledger()).toEqual([]);
      await one.end(bad, 'failed');
      await one.end(canceled, 'canceled');
      await one.end(good, 'succeeded');
      expect(await ledger()).toEqual([{ job_id: good.id, account_id: accountId, period: '2026-11' }]);
      expect(await one.usage()).toEqual({ total: 10, used: 1, available: 9 });
    });

    it('refuses a second charge for a capture, with the whole transaction', async () => {
      const job = await one.submit();
      await one.end(job, 'succeeded');
      const again = one.app.get(DatabaseService).transaction(async (transaction) => {
        await transaction.query(`UPDATE usage_counters SET used = used + 1`);
        const reservation = { accountId, jobId: job.id, period: '2026-11' };
        await one.app.get(UsageService).endReservation(transaction, reservation, true);
      });
      await expect(again).rejects.toMatchObject({ code: '23505' });
      expect(await ledger()).toHaveLength(1);
      expect(await one.usage()).toMatchObject({ used: 1 });
    });

    it('outlives the records of jobs', async () => {
      await one.end(await one.submit(), 'succeeded');
      await client.query(`DELETE FROM jobs`);
      expect(await ledger()).toHaveLength(1);
      expect(await one.app.get(AccountingAuditService).run()).toEqual([]);
      expect(await one.usage()).toMatchObject({ used: 1 });
    });

    it.each([
      ['month', '2025-09', '2025-10'],
      ['ever', 'ever', 'ever'],
    ] as const)('is folded into the counters after thirteen months: %s', async (period, past, kept) => {
      accountId = await account(period);
      const entry = (of: string, at: string) =>
        client.query(
          `WITH counter AS (
             INSERT INTO usage_counters (account_id, period, used) VALUES ($1, $2, 1)
             ON CONFLICT (account_id, period) DO UPDATE SET used = usage_counters.used + 1)
           INSERT INTO usage_ledger (job_id, account_id, period, at) VALUES (gen_random_uuid(), $1, $2, $3)`,
          [accountId, of, at],
        );
      for (let i = 0; i < 3; i++) await entry(past, '2025-09-30T23:59:59Z');
      await entry(kept, '2025-10-01T00:00:00Z');
      await one.app.get(LedgerService).fold(new AbortController().signal);
      expect((await ledger()).map((each) => each.period)).toEqual([kept]);
      const { rows } = await client.query(`SELECT period, used, folded FROM usage_counters ORDER BY 1`);
      expect(rows).toEqual(
        period === 'ever'
          ? [{ period: 'ever', used: 4, folded: 3 }]
          : [
              { period: past, used: 3, folded: 3 },
              { period: kept, used: 1, folded: 0 },
            ],
      );
      expect(await one.app.get(AccountingAuditService).run()).toEqual([]);
    });
  });

  describe('a new month', () => {
    beforeEach(() => {
      one.clock.set(OCTOBER);
    });

    it.each(['succeeded', 'failed', 'canceled'] as const)(
      'leaves a capture in the month in which it was accepted, also when it has %s later',
      async (end) => {
        const job = await one.submit();
        expect(await one.usage()).toMatchObject({ used: 1 });
        one.clock.set(NOVEMBER);
        expect(await one.usage()).toEqual({ total: 10, used: 0, available: 10 });
        await one.submit();
        await one.end(job, end);
        expect(await one.usage()).toMatchObject({ used: 1 });
        expect(await usedIn('2026-10')).toBe(end === 'succeeded' ? 1 : 0);
        expect((await ledger()).map(({ period }) => period)).toEqual(end === 'succeeded' ? ['2026-10'] : []);
        expect(await one.app.get(AccountingAuditService).run()).toEqual([]);
      },
    );

    it('renews an allowance that was used up', async () => {
      await set('allowance', 1);
      await one.submit();
      expect(codeOf(await one.submit().catch((error: unknown) => error))).toBe('allowance_exhausted');
      one.clock.set(NOVEMBER);
      expect((await one.submit()).usagePeriod).toBe('2026-11');
    });

    it('does not renew an allowance without a period', async () => {
      accountId = await account('ever', 2);
      const job = await one.submit();
      one.clock.set(NOVEMBER);
      expect(await one.usage()).toMatchObject({ used: 1 });
      await one.end(job, 'failed');
      expect(await one.usage()).toMatchObject({ used: 0 });
      await one.submit();
      await one.submit();
      expect(codeOf(await one.submit().catch((error: unknown) => error))).toBe('allowance_exhausted');
    });

    it('starts sooner in a process whose clock is ahead, and both months stay exact', async () => {
      await set('allowance', 3);
      other.clock.set(NOVEMBER);
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? one : other).submit()),
      );
      const accepted = results.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
      expect(accepted.map(({ usagePeriod }) => usagePeriod).sort()).toEqual([
        ...Array<string>(3).fill('2026-10'),
        ...Array<string>(3).fill('2026-11'),
      ]);
      expect([await one.usage(), await other.usage()]).toEqual(
        Array(2).fill({ total: 3, used: 3, available: 0 }),
      );
      // Each is ended by the process with the other clock.
      for (const job of accepted) await (job.usagePeriod === '2026-10' ? other : one).end(job, 'failed');
      expect([await usedIn('2026-10'), await usedIn('2026-11')]).toEqual([0, 0]);
    });
  });

  describe('concurrency', () => {
    it('can be lowered while captures run, which ends none of them and refuses new ones until there is room', async () => {
      const running = [await one.submit('sync'), await one.submit('sync'), await one.submit('sync')];
      await set('concurrency', 1);
      const read = async () => (await one.app.get(UsageService).report(accountId)).concurrency;
      expect(await read()).toMatchObject({ limit: 1, remaining: 0 });
      for (const job of running) {
        expect(codeOf(await other.submit('sync').catch((error: unknown) => error))).toBe(
          'concurrency_exceeded',
        );
        await one.end(job, 'succeeded');
      }
      expect(await read()).toMatchObject({ limit: 1, remaining: 1 });
      await other.submit('sync');
    });

    it('refuses with a Retry-After as long as captures take', async () => {
      await set('concurrency', 1);
      await one.submit('sync');
      const waitS = async (): Promise<unknown> => {
        const error: unknown = await other.submit('sync').catch((cause: unknown) => cause);
        return error instanceof AppError ? error.facts.retryAfterS : error;
      };
      expect(await waitS()).toBe(1);
      await client.query(`UPDATE concurrency_slots SET held_since = now() - interval '20 s'`);
      expect([20, 21]).toContain(await waitS());
      await client.query(`UPDATE concurrency_slots SET held_since = now() - interval '1 hour'`);
      expect(await waitS()).toBe(60);
    });

    it('computes Retry-After without slots whose hold has expired', async () => {
      const over = [await one.submit('sync'), await one.submit('sync')];
      await client.query(
        `UPDATE concurrency_slots SET held_since = now() - interval '1 hour', held_until = now() - interval '1 s'
          WHERE job_id = ANY($1)`,
        [over.map(({ id }) => id)],
      );
      await set('concurrency', 1);
      await one.submit('sync');
      const error: unknown = await other.submit('sync').catch((cause: unknown) => cause);
      expect(error).toMatchObject({ code: 'concurrency_exceeded', facts: { retryAfterS: 1 } });
    });

    it('has room again at the reported time, even if nothing frees the slot', async () => {
      await one.submit('sync');
      const { reset_unix: reset } = (await one.app.get(UsageService).report(accountId)).concurrency;
      const { rows } = await client.query<{ until: Date }>(
        `SELECT held_until AS until FROM concurrency_slots`,
      );
      expect(reset).toBe(Math.ceil((rows[0]?.until.getTime() ?? 0) / 1_000));
      await client.query(`UPDATE concurrency_slots SET held_until = now() - interval '1 ms'`);
      expect((await one.app.get(UsageService).report(accountId)).concurrency).toEqual({
        limit: 3,
        remaining: 3,
        reset_unix: LATER_IN_NOVEMBER.getTime() / 1_000,
      });
    });
  });

  describe('thresholds', () => {
    beforeEach(async () => {
      await set('webhook_url', 'https://example.com/hook');
    });

    const announced = async () => {
      const { rows } = await client.query<{ body: string }>(
        `SELECT body FROM webhook_deliveries WHERE type = 'usage.threshold' ORDER BY id`,
      );
      return rows.map(({ body }) => JSON.parse(body) as { data: { threshold: number; used: number } });
    };
    const percents = async () => (await announced()).map(({ data }) => data.threshold);
    const submit = async (times: number): Promise<Job[]> => {
      const jobs: Job[] = [];
      for (let i = 0; i < times; i++) jobs.push(await one.submit());
      return jobs;
    };

    it('are announced when they are reached, and not before', async () => {
      await submit(7);
      expect(await announced()).toEqual([]);
      await submit(1);
      expect(await announced()).toEqual([
        {
          type: 'usage.threshold',
          timestamp: LATER_IN_NOVEMBER.toISOString(),
          data: { threshold: 80, period: '2026-11', total: 10, used: 8, available: 2 },
        },
      ]);
      await submit(2);
      expect(await percents()).toEqual([80, 100]);
    });

    it('are announced once, although units are given back and taken again', async () => {
      const jobs = await submit(10);
      for (const job of jobs.slice(0, 5)) await one.end(job, 'canceled');
      await submit(5);
      expect(await percents()).toEqual([80, 100]);
    });

    it('are announced once by many processes', async () => {
      await Promise.allSettled(Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? one : other).submit()));
      expect((await percents()).sort()).toEqual([100, 80]);
    });

    it('are announced again in the next month, and for a raised allowance', async () => {
      await submit(10);
      await set('allowance', 20);
      await submit(5);
      expect(await percents()).toEqual([80, 100]);
      await submit(1);
      expect((await announced()).at(-1)?.data).toMatchObject({ threshold: 80, used: 16 });
      one.clock.set(new Date('2026-12-01T00:00:00Z'));
      await submit(16);
      expect((await announced()).at(-1)?.data).toMatchObject({ threshold: 80, used: 16, period: '2026-12' });
      expect(await percents()).toEqual([80, 100, 80, 80]);
    });

    it('are not announced again when the allowance is lowered and raised back', async () => {
      await submit(8);
      await set('allowance', 9);
      await submit(1);
      await set('allowance', 10);
      await submit(1);
      expect(await percents()).toEqual([80, 100]);
    });

    it('are announced to an account that sets its webhook later', async () => {
      await set('webhook_url', null);
      await submit(8);
      expect(await announced()).toEqual([]);
      await set('webhook_url', 'https://example.com/hook');
      await submit(1);
      expect(await percents()).toEqual([80]);
    });

    it('are not announced when the reservation is rolled back', async () => {
      const fault = new Error('no');
      const usage = one.app.get(UsageService);
      await expect(
        one.app.get(DatabaseService).transaction(async (transaction) => {
          await usage.reserve(transaction, accountId, 10);
          throw fault;
        }),
      ).rejects.toBe(fault);
      expect(await announced()).toEqual([]);
      await one.app
        .get(DatabaseService)
        .transaction((transaction) => usage.reserve(transaction, accountId, 10));
      expect(await percents()).toEqual([80, 100]);
    });

    it('are announced when the rest of an allowance is reserved', async () => {
      await one.app
        .get(DatabaseService)
        .transaction((transaction) =>
          one.app.get(UsageService).reserveWhatFits(transaction, new Map([[accountId, 12]])),
        );
      expect(await percents()).toEqual([80, 100]);
    });
  });

  describe('the audit', () => {
    const audit = () => one.app.get(AccountingAuditService).run();

    it.each([2, -1])('corrects a counter that is off by %d, and reports it', async (by) => {
      await one.submit();
      await one.end(await one.submit(), 'succeeded');
      await client.query(`UPDATE usage_counters SET used = used + $1`, [by]);
      expect(await audit()).toEqual([{ accountId, period: '2026-11', used: 2 + by, expected: 2 }]);
      expect(await one.usage()).toMatchObject({ used: 2 });
      expect(await audit()).toEqual([]);
    });

    it('corrects the counter of the month before, in which captures may still end', async () => {
      one.clock.set(OCTOBER);
      await one.submit();
      one.clock.set(NOVEMBER);
      await client.query(`UPDATE usage_counters SET used = 5`);
      expect(await audit()).toEqual([{ accountId, period: '2026-10', used: 5, expected: 1 }]);
      expect(await usedIn('2026-10')).toBe(1);
    });

    it('creates a missing counter', async () => {
      await one.submit();
      await client.query(`DELETE FROM usage_counters`);
      await audit();
      expect(await one.usage()).toMatchObject({ used: 1 });
    });

    it('finds no difference where captures were made and where the cache answered', async () => {
      const cached = { cache_ttl_s: 600 };
      const [plain, made, failed] = [
        await one.submit(),
        await one.submit('job', cached),
        await one.submit('job', cached),
      ];
      const [follower, open] = [await other.submit('job', cached), await one.submit('job', cached)];
      await one.end(plain, 'succeeded');
      await one.end(made, 'succeeded');
      await one.end(failed, 'failed');
      // A hit reserves nothing; a capture that waited for another one gives its unit back.
      await client.query(
        `INSERT INTO jobs (id, account_id, source, status, format, options, timeout_ms, usage_period, origin_id, cache_key,
                           cache_status, cache_age_s, finished_at, expires_at)
         SELECT gen_random_uuid(), account_id, 'job', status, format, '{}', timeout_ms, usage_period, id, cache_key,
                'hit', 1, now(), expires_at FROM jobs WHERE id = $1`,
        [made.id],
      );
      await other.app.get(DatabaseService).transaction(async (transaction) => {
        await transaction.query(
          `UPDATE jobs SET status = 'succeeded', origin_id = $2, cache_status = 'coalesced', finished_at = now() WHERE id = $1`,
          [follower.id, made.id],
        );
        const reservation = { accountId, jobId: follower.id, period: follower.usagePeriod };
        await other.app.get(UsageService).endReservation(transaction, reservation, false);
      });
      expect(await audit()).toEqual([]);
      expect(await one.usage()).toMatchObject({ used: 3 });
      await one.end(open, 'canceled');
      expect(await audit()).toEqual([]);
      expect(await one.usage()).toMatchObject({ used: 2 });
      const charged = (await ledger()).map(({ job_id }) => job_id);
      expect(charged.sort()).toEqual([plain.id, made.id].sort());
    });

    it('corrects a difference once, although two processes audit', async () => {
      await one.submit();
      await client.query(`UPDATE usage_counters SET used = used + 3`);
      const found = await Promise.all(
        [one, other, one, other].map(({ app }) => app.get(AccountingAuditService).run()),
      );
      expect(found.flatMap((each) => each ?? [])).toHaveLength(1);
      expect(await one.usage()).toMatchObject({ used: 1 });
    });

    it('finds no difference while captures are accepted and end, and corrects exactly', async () => {
      await set('allowance', 1_000);
      await set('concurrency', 1_000);
      const open = [await one.submit()];
      let isOver = false;
      const work = async ({ submit, end }: Process, seed: number): Promise<void> => {
        for (let n = seed; !isOver || open.length > 0; n++) {
          const job = isOver || n % 2 === 0 ? open.shift() : undefined;
          if (job) await end(job, (['succeeded', 'failed', 'canceled'] as const)[n % 3] ?? 'failed');
          else if (!isOver) open.push(await submit(n % 5 === 0 ? 'sync' : 'job'));
        }
      };
      const working = [work(one, 0), work(other, 1)];
      const found: number[] = [];
      const look = async () => void found.push(((await audit()) ?? []).length);
      for (let i = 0; i < 40; i++) await look();
      await client.query(`UPDATE usage_counters SET used = used + 7`);
      for (let i = 0; i < 40; i++) await look();
      isOver = true;
      await Promise.all(working);
      expect(found).toEqual([...Array<number>(40).fill(0), 1, ...Array<number>(39).fill(0)]);
      expect((await one.usage()).used).toBe((await ledger()).length);
    });
  });
});
