import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { TestDatabase } from '../../../../test/support/database.js';
import { startJobs } from '../../../../test/support/jobs.js';
import type { StartedModules } from '../../../../test/support/modules.js';
import { JobBacklogRepository } from './job-backlog.repository.js';

describe(JobBacklogRepository.name, () => {
  let service: StartedModules;
  let app: INestApplicationContext;
  let client: TestDatabase;

  beforeAll(async () => {
    service = await startJobs();
    ({ app, database: client } = service);
    await client.query(
      `INSERT INTO accounts (id, name, allowance, allowance_period, concurrency)
       SELECT ('00000000-0000-4000-8000-00000000000' || n)::uuid, 'account ' || n, 1000, 'month', 10 FROM generate_series(0, 9) n`,
    );
  });

  afterAll(() => service.close());

  beforeEach(() => client.query('DELETE FROM jobs'));

  /** Inserts jobs of account `n` that have been in their state for `ageS` seconds. */
  const add = (count: number, source: string, row: { n?: number; ageS?: number; set?: string }) =>
    client
      .query(
        `WITH added AS (
         INSERT INTO jobs (id, account_id, source, status, format, options, timeout_ms, usage_period, created_at)
         SELECT gen_random_uuid(), ('00000000-0000-4000-8000-00000000000' || $2::text)::uuid, $3, 'queued', 'png', '{}',
                60000, '2026-11', now() - $4 * interval '1 s' FROM generate_series(1, $1)
         RETURNING id)
       SELECT id FROM added`,
        [count, row.n ?? 0, source, row.ageS ?? 0],
      )
      .then(({ rows }: { rows: { id: string }[] }) =>
        row.set === undefined
          ? undefined
          : client.query(`UPDATE jobs SET ${row.set} WHERE id = ANY($1)`, [rows.map(({ id }) => id)]),
      );

  const read = async (lane: string, state: string) => {
    const all = await app.get(JobBacklogRepository).read();
    return all.find((each) => each.lane === lane && each.state === state);
  };

  it('returns 0 for each lane and state when there is no job', async () => {
    const all = await app.get(JobBacklogRepository).read();
    expect(all).toHaveLength(6);
    for (const each of all) expect(each).toMatchObject({ jobs: 0, oldestS: 0 });
  });

  it('counts waiting jobs, and finds the oldest of all accounts', async () => {
    await add(3, 'job', { n: 2, ageS: 50 });
    await add(2, 'batch', { n: 7, ageS: 500 });
    await add(1, 'job', { n: 9, ageS: 5 });
    const waiting = await read('background', 'waiting');
    expect(waiting?.jobs).toBe(6);
    expect(Math.round(waiting?.oldestS ?? 0)).toBeGreaterThanOrEqual(500);
    expect(await read('interactive', 'waiting')).toMatchObject({ jobs: 0, oldestS: 0 });
  });

  it('separates dispatched from running jobs by lane, each with its age in that state', async () => {
    const old = `created_at = now() - interval '1 day', dispatched_at = now() - interval '30 s'`;
    await add(2, 'sync', { set: old });
    await add(1, 'job', { set: old });
    await add(4, 'batch', { set: `${old}, status = 'running', started_at = now() - interval '10 s'` });
    const [interactive, background, running] = await Promise.all([
      read('interactive', 'dispatched'),
      read('background', 'dispatched'),
      read('background', 'running'),
    ]);
    expect([interactive?.jobs, background?.jobs, running?.jobs]).toEqual([2, 1, 4]);
    for (const { oldestS = 0 } of [interactive ?? {}, background ?? {}]) {
      expect(oldestS).toBeGreaterThanOrEqual(30);
      expect(oldestS).toBeLessThan(86_400);
    }
    expect(running?.oldestS).toBeGreaterThanOrEqual(10);
    expect(running?.oldestS).toBeLessThan(86_400);
  });

  it('reads the next capture of each lane, numbered after the captures that its account runs in both', async () => {
    const next = () => app.get(JobBacklogRepository).readNext();
    expect(await next()).toEqual({ interactive: null, background: null });
    const queued = 'dispatched_at = now()';
    const running = `${queued}, status = 'running', started_at = now()`;
    await add(1, 'sync', { n: 1, set: running });
    await add(1, 'job', { n: 1, set: running });
    await add(2, 'sync', { n: 1, set: queued });
    await add(3, 'job', { n: 2 });
    expect(await next()).toEqual({ interactive: 3, background: null });
    await add(1, 'batch', { n: 1, set: queued });
    expect(await next()).toEqual({ interactive: 3, background: 3 });
    await add(1, 'batch', { n: 3, set: queued });
    await add(1, 'sync', { n: 4, set: running });
    await add(1, 'sync', { n: 4, set: queued });
    expect(await next()).toEqual({ interactive: 2, background: 1 });
  });

  it('leaves out captures that wait for a retry, until it is due', async () => {
    const next = () => app.get(JobBacklogRepository).readNext();
    await add(1, 'sync', { set: `failures = 1, dispatched_at = now()` });
    await add(1, 'job', { set: `failures = 2, dispatched_at = now()` });
    expect(await next()).toEqual({ interactive: null, background: null });
    await client.query(`UPDATE jobs SET dispatched_at = now() - interval '10 s'`);
    expect(await next()).toEqual({ interactive: 1, background: 1 });
  });

  it('does not count finished jobs', async () => {
    await add(5, 'job', { set: `status = 'succeeded', dispatched_at = now(), finished_at = now()` });
    for (const each of await app.get(JobBacklogRepository).read()) expect(each.jobs).toBe(0);
  });
});
