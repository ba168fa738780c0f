import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { parseOptions } from '@app/capture';
import { newId } from '@app/kernel';
import { UsageService } from '@app/usage';
import type { TestDatabase } from '../../../../test/support/database.js';
import { eventually } from '../../../../test/support/eventually.js';
import { startJobs } from '../../../../test/support/jobs.js';
import { codeOf, type StartedModules } from '../../../../test/support/modules.js';
import {
  IdempotencyKeyRepository,
  JobsService,
  QueuePositionRepository,
  type Accepted,
  type JobRequest,
} from '../index.js';

const OPTIONS = parseOptions({ url: 'https://example.com' });

const idempotency = (key: string, body = 'a body') => ({
  key,
  fingerprint: createHash('sha256').update(body).digest(),
});

describe('accepting background jobs', () => {
  let service: StartedModules;
  let app: INestApplicationContext;
  let client: TestDatabase;
  let jobs: JobsService;
  let accountId: string;

  beforeAll(async () => {
    service = await startJobs();
    ({ app, database: client } = service);
    jobs = app.get(JobsService);
  });

  afterAll(() => service.close());

  beforeEach(async () => {
    accountId = await newAccount();
  });

  afterEach(async () => {
    // Whatever the test did, the counters agree with the rows.
    const { rows } = await client.query<{ used: number; held: number }>(
      `SELECT used, (SELECT count(*)::int FROM jobs WHERE jobs.account_id = counter.account_id
                        AND status IN ('queued', 'running', 'succeeded')) AS held FROM usage_counters AS counter`,
    );
    for (const { used, held } of rows) expect(used).toBe(held);
  });

  const newAccount = (allowance = 1_000): Promise<string> => client.addAccount({ allowance, concurrency: 2 });
  const submit = (more: Partial<JobRequest> = {}): Promise<Accepted> =>
    jobs.submit({ accountId, source: 'job', options: OPTIONS, ...more });
  const submitMany = (count: number, more: (i: number) => Partial<JobRequest> = () => ({})) =>
    Promise.allSettled(Array.from({ length: count }, (_, i) => submit(more(i))));
  const rowsOf = async (id = accountId) =>
    (
      await client.query<Record<string, unknown>>(
        `SELECT * FROM jobs WHERE account_id = $1 ORDER BY created_at, id`,
        [id],
      )
    ).rows;
  const accepted = (results: readonly PromiseSettledResult<Accepted>[]): Accepted[] =>
    results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const refusals = (results: readonly PromiseSettledResult<Accepted>[]): string[] =>
    results.flatMap((result) => (result.status === 'rejected' ? [codeOf(result.reason)] : []));

  it('stores a row that waits for the dispatcher, with everything that was requested', async () => {
    const { job, record, replayed } = await submit({
      webhookUrl: 'https://example.com/hook',
      requestId: 'request-1',
      options: parseOptions({ url: 'https://example.com', headers: { 'X-A': 'secret' } }),
    });
    const [row] = await rowsOf();
    expect(row).toMatchObject({
      id: job.id,
      source: 'job',
      status: 'queued',
      dispatched_at: null,
      webhook_url: 'https://example.com/hook',
      request_id: 'request-1',
      options: { headers: '[redacted]' },
      secrets: expect.any(Buffer),
    });
    expect(record).toMatchObject({
      id: job.id,
      queue_position: 1,
      webhook: { state: 'waiting', attempts: 0 },
    });
    expect(replayed).toBe(false);
  });

  it('never refuses a job because of the concurrency', async () => {
    expect(refusals(await submitMany(20))).toEqual([]);
  });

  it('needs few transactions for many jobs at once, and keeps their order', async () => {
    const results = accepted(await submitMany(100));
    const { rows } = await client.query<{ commits: string }>(
      `SELECT count(DISTINCT xmin::text) AS commits FROM jobs WHERE account_id = $1`,
      [accountId],
    );
    expect(Number(rows[0]?.commits)).toBeLessThan(10);
    expect(results.map(({ record }) => record.queue_position)).toEqual(results.map((_, i) => i + 1));
    expect((await rowsOf()).map(({ id }) => id)).toEqual(results.map(({ job }) => job.id));
  });

  it('notifies the dispatchers', async () => {
    await using listener = await client.session();
    const heard: string[] = [];
    listener.on('notification', ({ channel }) => heard.push(channel));
    await listener.query('LISTEN capture_job_waiting');
    await submit();
    await eventually('the signal arrives', () => heard.includes('capture_job_waiting'));
  });

  it('gives the allowance of each account to its first jobs, exactly', async () => {
    const poor = await newAccount(3);
    const empty = await newAccount(0);
    const results = await submitMany(30, (i) => ({ accountId: [accountId, poor, empty][i % 3] ?? '' }));
    expect(refusals(results)).toEqual(Array.from({ length: 17 }, () => 'allowance_exhausted'));
    expect(results.map(({ status }) => status).slice(0, 9)).toEqual([
      ...['fulfilled', 'fulfilled', 'rejected'],
      ...['fulfilled', 'fulfilled', 'rejected'],
      ...['fulfilled', 'fulfilled', 'rejected'],
    ]);
    expect([await rowsOf(), await rowsOf(poor), await rowsOf(empty)].map(({ length }) => length)).toEqual([
      10, 3, 0,
    ]);
    expect((await app.get(UsageService).report(poor)).available).toBe(0);
  });

  it('refuses jobs when the allowance was lowered below what is used', async () => {
    await submitMany(3);
    await client.query('UPDATE accounts SET allowance = 2 WHERE id = $1', [accountId]);
    expect(refusals(await submitMany(3))).toHaveLength(3);
    expect((await app.get(UsageService).report(accountId)).used).toBe(3);
  });

  it('refuses one faulty job without the others of its group', async () => {
    const results = await submitMany(10, (i) => (i === 4 ? { accountId, requestId: 'a\0b' } : {}));
    expect(results.map(({ status }) => status === 'fulfilled')).toEqual(results.map((_, i) => i !== 4));
    expect(await rowsOf()).toHaveLength(9);
  });

  describe('under an Idempotency-Key', () => {
    it('answers a repetition with the first answer, and stores nothing', async () => {
      const first = await submit({ idempotency: idempotency('k') });
      await submit();
      const again = await submit({ idempotency: idempotency('k') });
      expect(again).toMatchObject({ replayed: true, job: { id: first.job.id } });
      expect(JSON.stringify(again.record)).toBe(JSON.stringify(first.record));
      expect(await rowsOf()).toHaveLength(2);
    });

    it('makes one job of many repetitions, whether they are in one group or not', async () => {
      const twins = [
        ...(await submitMany(20, () => ({ idempotency: idempotency('k') }))),
        ...(await submitMany(5, () => ({ idempotency: idempotency('k') }))),
      ];
      expect(refusals(twins)).toEqual([]);
      expect(accepted(twins).filter(({ replayed }) => !replayed)).toHaveLength(1);
      expect(new Set(accepted(twins).map(({ record }) => JSON.stringify(record))).size).toBe(1);
      expect(await rowsOf()).toHaveLength(1);
    });

    it('refuses a different request, also in the same group', async () => {
      const results = await submitMany(3, (i) => ({ idempotency: idempotency('k', `body ${i}`) }));
      expect(refusals(results)).toEqual(['idempotency_mismatch', 'idempotency_mismatch']);
      const late = await submit({ idempotency: idempotency('k', 'other') }).catch(codeOf);
      expect(late).toBe('idempotency_mismatch');
    });

    it('distinguishes the keys of accounts', async () => {
      const other = await newAccount();
      const results = accepted(
        await submitMany(2, (i) => ({
          accountId: i === 0 ? accountId : other,
          idempotency: idempotency('k', `body ${i}`),
        })),
      );
      expect(results.map(({ replayed }) => replayed)).toEqual([false, false]);
    });

    it('keeps no key of a refused job, and refuses its repetitions as well', async () => {
      await client.query('UPDATE accounts SET allowance = 0 WHERE id = $1', [accountId]);
      const results = await submitMany(4, () => ({ idempotency: idempotency('k') }));
      expect(refusals(results)).toEqual(Array.from({ length: 4 }, () => 'allowance_exhausted'));
      await client.query('UPDATE accounts SET allowance = 5 WHERE id = $1', [accountId]);
      expect((await submit({ idempotency: idempotency('k', 'another body') })).replayed).toBe(false);
    });

    it('repeats an answer although the allowance has been used up since', async () => {
      await submit({ idempotency: idempotency('k') });
      await client.query('UPDATE accounts SET allowance = 1 WHERE id = $1', [accountId]);
      expect((await submit({ idempotency: idempotency('k') })).replayed).toBe(true);
    });

    it('waits for a repetition that another process is accepting, without delaying other jobs', async () => {
      await using other = await client.session();
      const { job } = await submit();
      await other.query('BEGIN');
      const { key, fingerprint } = idempotency('k');
      await other.query(
        `INSERT INTO idempotency_keys (account_id, key, fingerprint, subject_id) VALUES ($1, $2, $3, $4)`,
        [accountId, key, fingerprint, job.id],
      );
      const results = submitMany(9, (i) => (i === 5 ? { idempotency: idempotency('k') } : {}));
      await eventually('the others are stored', async () => (await rowsOf()).length === 9);
      await other.query('COMMIT');
      expect(accepted(await results)[5]).toMatchObject({ replayed: true, job: { id: job.id } });
      expect(await rowsOf()).toHaveLength(9);
    });

    it('reports a repetition in flight when it takes too long', async () => {
      await using other = await client.session();
      await other.query('BEGIN');
      await other.query(
        `INSERT INTO idempotency_keys (account_id, key, fingerprint, subject_id) VALUES ($1, 'k', '', $2)`,
        [accountId, newId()],
      );
      expect(await submit({ idempotency: idempotency('k') }).catch(codeOf)).toBe('idempotency_in_flight');
      await other.query('ROLLBACK');
      expect((await submit({ idempotency: idempotency('k') })).replayed).toBe(false);
    });

    it('forgets keys after 24 hours', async () => {
      const keys = app.get(IdempotencyKeyRepository);
      const first = await submit({ idempotency: idempotency('k') });
      await submit({ idempotency: idempotency('kept') });
      await client.query(
        `UPDATE idempotency_keys SET created_at = now() - interval '24 hours 1 second' WHERE subject_id = $1`,
        [first.job.id],
      );
      const second = await submit({ idempotency: idempotency('k', 'another body') });
      expect(second.job.id).not.toBe(first.job.id);
      await client.query(
        `UPDATE idempotency_keys SET created_at = now() - interval '25 hours' WHERE account_id = $1 AND key = 'k'`,
        [accountId],
      );
      expect(await keys.purge()).toBe(1);
      const { rows } = await client.query(`SELECT key FROM idempotency_keys WHERE account_id = $1`, [
        accountId,
      ]);
      expect(rows).toEqual([{ key: 'kept' }]);
    });

    it('refuses the key of a deleted job', async () => {
      const { job } = await submit({ idempotency: idempotency('k') });
      await jobs.cancel(accountId, job.id, 'client_request');
      await client.query(`DELETE FROM jobs WHERE id = $1`, [job.id]);
      expect(await submit({ idempotency: idempotency('k') }).catch(codeOf)).toBe('result_expired');
    });

    it('releases the key of a synchronous capture whose caller got no answer, and no other key', async () => {
      const sync = { source: 'sync', idempotency: idempotency('k') } as const;
      const first = await submit(sync);
      await jobs.cancelUnanswered(first.job, 'overloaded', 'k');
      const second = await submit(sync);
      expect(second.replayed).toBe(false);
      await jobs.cancelUnanswered(first.job, 'overloaded', 'k');
      expect(await submit(sync)).toMatchObject({ replayed: true, job: { id: second.job.id } });
      await jobs.cancel(accountId, second.job.id, 'client_request');
      expect(await submit(sync)).toMatchObject({ replayed: true, job: { status: 'canceled' } });
    });
  });

  describe('the queue position', () => {
    const placesOf = async (ids: readonly string[]) => {
      const found = await Promise.all(ids.map((id) => jobs.find(accountId, id)));
      const places = await app.get(QueuePositionRepository).read(found);
      return ids.map((id) => places.get(id));
    };

    it('is counted for each account by itself, and advances', async () => {
      await submit({ accountId: await newAccount() });
      const ids = accepted(await submitMany(4)).map(({ job }) => job.id);
      expect(await placesOf(ids)).toEqual([1, 2, 3, 4]);
      await jobs.cancel(accountId, ids[0] ?? '', 'client_request');
      await client.query(`UPDATE jobs SET dispatched_at = now() WHERE id = $1`, [ids[1]]);
      expect(await placesOf(ids)).toEqual([undefined, 1, 1, 2]);
    });

    it('does not count the rows of batches, which wait in lines of their own', async () => {
      const rows = accepted(await submitMany(3)).map(({ job }) => job.id);
      await client.query(`UPDATE jobs SET batch_id = $2 WHERE id = ANY($1)`, [rows, newId()]);
      const { job, record } = await submit();
      expect([record.queue_position, await placesOf([job.id])]).toEqual([1, [1]]);
    });

    it('is counted up to 1,000', async () => {
      await client.query(
        `INSERT INTO jobs (id, account_id, source, status, format, options, timeout_ms, usage_period, created_at)
         SELECT gen_random_uuid(), $1, 'job', 'queued', 'png', '{}', 1, 'ever', now() - interval '1 hour'
           FROM generate_series(1, 1100)`,
        [accountId],
      );
      const { job, record } = await submit();
      expect([record.queue_position, await placesOf([job.id])]).toEqual([1_000, [1_000]]);
      await client.query(`DELETE FROM jobs WHERE account_id = $1`, [accountId]);
      await client.query(`DELETE FROM usage_counters WHERE account_id = $1`, [accountId]);
    });
  });
});
