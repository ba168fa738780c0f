import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';

/** Seals the secrets in the databases of tests. */
export const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');

/** Columns of an account in which a spec differs from `addAccount`. */
export interface AccountColumns {
  readonly allowance?: number;
  readonly allowance_period?: 'month' | 'ever';
  readonly concurrency?: number;
  readonly rate?: number;
  readonly burst?: number;
}

/** A database with our schema and no rows that belongs to one spec file; the object is a pool of connections to it. */
export class TestDatabase extends pg.Pool {
  constructor(
    readonly url: string,
    private readonly template: URL,
  ) {
    super({ connectionString: url });
    // Ending a pool does not wait for its sockets, which `drop` then cuts.
    this.on('error', () => undefined);
  }

  /** A connection as another process would have it; its open transaction is rolled back when it is disposed of. */
  async session(): Promise<pg.Client & AsyncDisposable> {
    const session = new pg.Client({ connectionString: this.url });
    session.on('error', () => undefined);
    await session.connect();
    return Object.assign(session, { [Symbol.asyncDispose]: () => session.end() });
  }

  /** How many sessions wait for a lock of another one. */
  async waitingForLocks(): Promise<number> {
    const { rows } = await this.query<{ sessions: number }>(
      `SELECT count(*)::int AS sessions FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND datname = current_database()`,
    );
    return rows[0]?.sessions ?? 0;
  }

  /** Adds an account that may use 1,000 captures a month, 10 at once, unless the spec says otherwise; returns its id. */
  async addAccount(columns: AccountColumns = {}): Promise<string> {
    const id = randomUUID();
    const row = {
      id,
      name: id,
      allowance: 1_000,
      allowance_period: 'month',
      concurrency: 10,
      ...columns,
    };
    const places = Object.keys(row).map((_, i) => `$${i + 1}`);
    await this.query(
      `INSERT INTO accounts (${Object.keys(row).join(', ')}) VALUES (${places.join(', ')})`,
      Object.values(row),
    );
    return id;
  }

  /** Closes all sessions, also those of other processes, and removes the database. */
  async drop(): Promise<void> {
    await this.end();
    const name = new URL(this.url).pathname.slice(1);
    await administer(this.template, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.drop();
  }
}

/**
 * Clones the template that the set-up of the run made, or another database that has no session, which is much faster than
 * running the migrations again.
 */
export async function createDatabase(from?: TestDatabase): Promise<TestDatabase> {
  const template = from ? new URL(from.url) : templateUrl();
  const name = `test_${randomBytes(6).toString('hex')}`;
  // The other way to copy writes each page to the log as well.
  const copy = `TEMPLATE ${template.pathname.slice(1)} STRATEGY file_copy`;
  await administer(template, `CREATE DATABASE ${name} ${copy}`);
  const url = new URL(`/${name}`, template);
  // On a machine that runs several specs at once, a new connection may take longer than the service waits by default.
  url.searchParams.set('connect_timeout', '60');
  return new TestDatabase(url.href, template);
}

/** Makes the rates of all accounts, also of later ones, so high that a test never reaches them. */
export async function liftRates(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `ALTER TABLE accounts ALTER COLUMN rate SET DEFAULT 1000000, ALTER COLUMN burst SET DEFAULT 1000000`,
  );
  await client.query(`UPDATE accounts SET rate = DEFAULT, burst = DEFAULT`);
  await client.end();
}

function templateUrl(): URL {
  const url = process.env.TEST_DATABASE_URL;
  if (url === undefined) {
    throw new Error(
      'No PostgreSQL for tests: name the file *.int-spec.ts or *.e2e-spec.ts, and run it with `npm test`.',
    );
  }
  return new URL(url);
}

// Connects to another database, because one that has a session cannot be a template.
async function administer(template: URL, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: new URL('/postgres', template).href });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
