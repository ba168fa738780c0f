import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { json } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { faultIn, stopwatch } from '../support/fault.js';
import type { Variables } from '../support/servers.js';
import { World } from '../support/world.js';

const MONITORS = 12;
const ROUNDS = 6;
const CLOCK = pathToFileURL(path.resolve('test/support/shifted-clock.mjs')).href;

/** Variables of a process whose clock is wrong. */
const clockWrongBy = (ms: number): Variables => ({
  NODE_OPTIONS: `--import=${CLOCK}`,
  CLOCK_SHIFT_MS: String(ms),
});

// Monitors know nothing of the queue.
describe('monitors', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.open({ workers: 2 });
    const url = world.site.page();
    for (let count = 0; count < MONITORS; count += 1) {
      await json(
        world.client.post('/v1/monitors', {
          name: `monitor ${count}`,
          schedule: { every_s: 31_536_000 },
          capture: { url },
          // A file that goes is one too many.
          pause_after_failures: 1_000,
          keep: { unchanged: 1_000 },
        }),
      );
    }
    await allChecked();
  }, 120_000);

  afterAll(() => world.close(), 60_000);

  const fault = faultIn('PostgreSQL', () => world);

  /** Waits until no monitor is due and every check has its outcome. */
  const allChecked = async (): Promise<void> => {
    const left = async (): Promise<boolean> => {
      const rows = await world.rows
        .query(
          `SELECT FROM monitors WHERE next_run_at <= now() UNION ALL SELECT FROM monitor_checks WHERE outcome IS NULL`,
        )
        .catch(() => undefined);
      return rows?.length === 0;
    };
    await eventually('every check has its outcome', left, 90_000);
  };

  /** Lets the instant of every monitor come that is not due yet; returns these instants. */
  const comeDue = async (): Promise<string[]> => {
    const rows = await world.rows.query<{ instant: string }>(
      `UPDATE monitors SET next_due_at = date_trunc('milliseconds', clock_timestamp()), next_run_at = clock_timestamp()
        WHERE next_run_at > now() RETURNING id || ' ' || extract(epoch FROM next_due_at) AS instant`,
    );
    return rows.map(({ instant }) => instant);
  };

  /** Expects one check for each of these instants, made after `since`, and none besides. */
  const expectOneCheckEach = async (instants: readonly string[], since: Date): Promise<string> => {
    await allChecked();
    const checks = await world.rows.query<{ instant: string; outcome: string; captures: number }>(
      `SELECT monitor_id || ' ' || extract(epoch FROM due_at) AS instant, outcome,
              (SELECT count(*) FROM jobs WHERE jobs.id = ANY(capture_ids))::int AS captures
         FROM monitor_checks WHERE created_at >= $1`,
      [since],
    );
    expect(checks.map(({ instant }) => instant).sort()).toEqual([...instants].sort());
    const skipped = checks.filter(({ outcome }) => outcome === 'skipped');
    expect(skipped.map(({ captures }) => captures)).toEqual(skipped.map(() => 0));
    const captured = checks.filter(({ outcome }) => outcome !== 'skipped');
    expect(captured.filter(({ outcome, captures }) => outcome !== 'same' || captures !== 1)).toEqual([]);
    expect(captured.length).toBeGreaterThanOrEqual(MONITORS);
    return `${instants.length} instants, ${captured.length} captured once, ${skipped.length} skipped while the last one ran`;
  };

  const now = async (): Promise<Date> => {
    const [row] = await world.rows.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    if (!row) throw new Error('The database returned no time.');
    return row.now;
  };

  fault('F60', 'no instant runs twice or is lost while workers are killed', async () => {
    const since = await now();
    const instants: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      instants.push(...(await comeDue()));
      // Anywhere between the look for what is due, its transaction, the capture and the outcome.
      await sleep(round * 300);
      const [worker] = world.workers;
      if (worker) await world.kill(worker);
      await world.restore();
    }
    return expectOneCheckEach(instants, since);
  });

  fault('F61', 'no instant runs twice or is lost while the database crashes', async () => {
    const since = await now();
    const instants: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      instants.push(...(await comeDue()));
      await sleep(round * 700);
      await world.servers.postgres.crash();
      await world.servers.postgres.start();
      for (const member of world.members) if (member.isRunning()) await member.ready();
    }
    return expectOneCheckEach(instants, since);
  });

  fault('F62', 'clocks of workers that are ten minutes apart change no instant', async () => {
    for (const worker of world.workers) await worker.stop();
    for (const ms of [-300_000, 300_000]) await world.start('worker', clockWrongBy(ms));
    const since = await now();
    const ended = stopwatch();
    const instants: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      instants.push(...(await comeDue()));
      await allChecked();
    }
    const next = await world.rows.query(
      `SELECT FROM monitors WHERE next_due_at NOT BETWEEN now() + interval '364 days' AND now() + interval '366 days'`,
    );
    expect(next).toEqual([]);
    return `${await expectOneCheckEach(instants, since)}, within ${ended()}`;
  });

  fault('F63', 'after an hour without the database the latest instant of each monitor runs', async () => {
    await world.servers.postgres.crash();
    await world.servers.postgres.start();
    for (const member of world.members) if (member.isRunning()) await member.ready();
    const since = await now();
    // As a database that was away for an hour finds its monitors, which have six instants in an hour.
    const first = await world.rows.query<{ id: string; ms: number }>(
      `UPDATE monitors SET every_s = 600, next_run_at = now() - interval '1 hour',
              next_due_at = date_trunc('milliseconds', now() - interval '1 hour')
        RETURNING id, extract(epoch FROM next_due_at)::float8 * 1000 AS ms`,
    );
    await allChecked();
    const checks = await world.rows.query<{ id: string; ms: number; missed: number; outcome: string }>(
      `SELECT monitor_id AS id, extract(epoch FROM due_at)::float8 * 1000 AS ms, missed, outcome
         FROM monitor_checks WHERE created_at >= $1`,
      [since],
    );
    await world.rows.query(`UPDATE monitors SET every_s = 31536000, next_run_at = now() + interval '1 day'`);
    const expected = first.map(({ id, ms }) => ({ id, ms: ms + 3_600_000, missed: 6, outcome: 'same' }));
    const byId = (a: { id: string }, b: { id: string }): number => a.id.localeCompare(b.id);
    expect(checks.toSorted(byId)).toEqual(expected.toSorted(byId));
    return `${checks.length} monitors checked once each, 6 instants missed each`;
  });
});
