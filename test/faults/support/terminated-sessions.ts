import { setTimeout as wait } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import type { HeldPage } from './fault-site.js';
import type { Member, World } from './world.js';

const ROUND_EVERY_MS = 250;
/** Every other round waits at most this long for a transaction that ends a capture. */
const FINISH_WITHIN_MS = 1_000;
const FINISH_TAKES_S = 0.1;

/** So many transactions that end a capture are met, however busy the machine is. */
const MIN_FINISHING = 4;
const MAX_MS = 60_000;

/**
 * Callers of synchronous captures and of jobs, whatever becomes of their requests. With a caller of each, whose requests
 * have a pause between them, the workers always have a capture and no backlog that takes long to work off.
 */
const CALLERS = 2;
const CALL_EVERY_MS = 200;

/** A round ends every session but its own, whatever it does, and counts those that were ending a capture. */
const TERMINATE = `
  SELECT count(*) FILTER (WHERE is_ended)::int AS sessions,
         count(*) FILTER (WHERE is_ended AND finishes)::int AS finishing
    FROM (SELECT pg_terminate_backend(pid) AS is_ended, wait_event = 'PgSleep' AS finishes
            FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()) session`;

const FINISHING = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`;

/** Makes the transactions that end a capture last long enough for a round to meet them. */
const SLOW_FINISH = `
  CREATE FUNCTION slow_finish() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_sleep(${FINISH_TAKES_S}); RETURN NULL; END $$;
  CREATE TRIGGER slow_finish AFTER UPDATE OF status ON jobs FOR EACH ROW
    WHEN (NEW.status = 'succeeded' AND OLD.status = 'running') EXECUTE FUNCTION slow_finish();`;

/**
 * Ends all database sessions of the service again and again for this long, while captures are accepted, run and end.
 * Resolves to what was seen; rejects when a process of the service ended.
 */
export async function terminateSessions(world: World, forMs: number): Promise<string> {
  await world.rows.query(SLOW_FINISH);
  try {
    const members = [...world.apis, ...world.workers];
    const pages = await runCaptures(world);
    const over = new AbortController();
    const calling = Array.from({ length: CALLERS }, (_, i) => call(world, i % 2 === 0, over.signal));
    for (const page of pages) page.release();
    const seen = { rounds: 0, sessions: 0, finishing: 0 };
    const [enough, last] = [AbortSignal.timeout(forMs), AbortSignal.timeout(MAX_MS)];
    while (!last.aborted && !(enough.aborted && seen.finishing >= MIN_FINISHING)) {
      const [round] = await world.rows.query<{ sessions: number; finishing: number }>(TERMINATE);
      seen.rounds += 1;
      seen.sessions += round?.sessions ?? 0;
      seen.finishing += round?.finishing ?? 0;
      await (seen.rounds % 2 === 0 ? wait(ROUND_EVERY_MS) : untilFinishing(world));
    }
    over.abort();
    const accepted = (await Promise.all(calling)).reduce((sum, count) => sum + count, 0);
    expectAlive(members);
    expect(seen.finishing).toBeGreaterThanOrEqual(MIN_FINISHING);
    expect(accepted).toBeGreaterThan(0);
    return `${seen.sessions} sessions ended in ${seen.rounds} rounds, ${seen.finishing} of them while they ended a capture; ${accepted} captures accepted meanwhile; no process ended`;
  } finally {
    await world.rows.query('DROP TRIGGER slow_finish ON jobs; DROP FUNCTION slow_finish');
  }
}

/** Starts a capture in every other slot, each of which waits for its page. */
async function runCaptures(world: World): Promise<HeldPage[]> {
  const slots = world.workers.reduce((sum, { env }) => sum + Number(env.WORKER_SLOTS), 0);
  const pages = Array.from({ length: slots / 2 }, () => world.site.hold());
  for (const { url } of pages) await world.submit({ url });
  await Promise.all(pages.map((page) => page.visited()));
  return pages;
}

/** Resolves while a capture is being ended, or when none is for a second. */
async function untilFinishing({ rows }: World): Promise<void> {
  const isSeen = async (): Promise<boolean> => (await rows.query(FINISHING)).length > 0;
  await eventually('a capture is being ended', isSeen, FINISH_WITHIN_MS).catch(() => undefined);
}

function expectAlive(members: readonly Member[]): void {
  const dead = members.filter((member) => !member.isRunning());
  expect(dead.map(({ name, log }) => `${name}: ${log().slice(-1_000)}`)).toEqual([]);
}

/** Asks for captures until the time is over; returns how many were accepted. */
async function call(world: World, isSync: boolean, over: AbortSignal): Promise<number> {
  const url = world.site.page();
  let accepted = 0;
  while (!over.aborted) {
    accepted += await (isSync ? capture(world, url) : submit(world, url)).catch(() => 0);
    await wait(CALL_EVERY_MS);
  }
  return accepted;
}

async function submit(world: World, url: string): Promise<number> {
  await world.submit({ url });
  return 1;
}

async function capture({ client, accepted }: World, url: string): Promise<number> {
  const response = await client.capture({ url });
  await response.arrayBuffer();
  const id = response.headers.get('x-capture-id');
  if (!response.ok || id === null) return 0;
  accepted.add(id);
  return 1;
}
