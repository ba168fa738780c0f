import pg from 'pg';
import { StartupError } from '@app/kernel';

/** As for the connections of a pool. */
const CONNECT_WITHIN_MS = 5_000;

/**
 * Connects once. A server that is away, a wrong password and a database that does not exist are for the operator to
 * correct, who needs the variable and the reason rather than the stack of a driver.
 *
 * @throws StartupError that names DATABASE_URL
 */
export async function assertReachable(url: string): Promise<void> {
  try {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_WITHIN_MS });
    await client.connect();
    await client.end();
  } catch (cause) {
    throw new StartupError(`The database of DATABASE_URL cannot be used: ${reasonOf(cause)}`, { cause });
  }
}

/** A name with several addresses, as localhost has, fails with an error for each and no message of its own. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return [...new Set(cause.errors.map(reasonOf))].join('; ');
  return cause instanceof Error ? cause.message : String(cause);
}
