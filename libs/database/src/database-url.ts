import type pg from 'pg';
import type { Env } from '@app/config';
import { StartupError } from '@app/kernel';
import { Client } from './client.js';
import { connectMsOf } from './data-source.js';

/** @throws StartupError when DATABASE_URL is not set. */
export function databaseUrl({ DATABASE_URL }: Env): string {
  if (DATABASE_URL === undefined) {
    throw new StartupError(
      'DATABASE_URL is not set. Set it, or use `npm start`, which starts a PostgreSQL of its own.',
    );
  }
  return DATABASE_URL;
}

/** Connects once; throws as `openSession` does. */
export async function assertReachable(url: string): Promise<void> {
  const session = await openSession(url);
  await session.end();
}

/**
 * Opens one session. An unreachable server, a wrong password or a missing database must be corrected by the operator, who
 * needs the name of the variable and the reason rather than the stack of a driver.
 *
 * @throws StartupError that names DATABASE_URL
 */
export async function openSession(url: string): Promise<pg.Client> {
  try {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: connectMsOf(url) });
    await client.connect();
    return client;
  } catch (cause) {
    throw new StartupError(`The database of DATABASE_URL cannot be used: ${reasonOf(cause)}`, { cause });
  }
}

/** A host name with several addresses, such as localhost, fails with one error for each and without a message. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return [...new Set(cause.errors.map(reasonOf))].join('; ');
  return cause instanceof Error ? cause.message : String(cause);
}
