import { expect } from '@jest/globals';
import { json, type Client, type Json } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import type { World } from './world.js';

/** What the API says about a session. */
export async function sessionOf({ client }: World, name: string): Promise<Json> {
  return json(client.get(`/v1/sessions/${name}`));
}

/** Makes a session; its log-in counts among the accepted captures once it has begun. */
export async function createSession(
  world: World,
  request: Json,
  client: Client = world.client,
): Promise<void> {
  const answer = await client.post('/v1/sessions', request);
  expect([answer.status, (await json(answer)).errors]).toEqual([201, undefined]);
}

/** Waits until the session can be used. */
export function becomesActive(world: World, name: string): Promise<void> {
  return eventually(
    `${name} is active`,
    async () => {
      const { status, is_logging_in } = await sessionOf(world, name);
      return status === 'active' && is_logging_in === false;
    },
    60_000,
  );
}

/** The jobs with the session, as callers and the ledger see them, oldest first. */
export function jobsOf({ rows }: World, name: string): Promise<SessionJob[]> {
  return rows.query<SessionJob>(
    `SELECT jobs.id, source = 'sync' AS "isLogIn", jobs.status, error_code AS error, attempt - waits AS attempts, waits, losses, jobs.failures,
            (SELECT count(*)::int FROM usage_ledger WHERE job_id = jobs.id) AS charges
       FROM jobs JOIN sessions ON sessions.id::text = jobs.options ->> 'session'
      WHERE sessions.name = $1 ORDER BY jobs.created_at`,
    [name],
  );
}

interface SessionJob {
  readonly id: string;
  readonly isLogIn: boolean;
  readonly status: string;
  readonly error: string | null;
  readonly attempts: number;
  readonly waits: number;
  readonly losses: number;
  readonly failures: number;
  readonly charges: number;
}
