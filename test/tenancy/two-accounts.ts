import type { Pool } from 'pg';
import { Env } from '@app/config';
import { DatabaseService, type Transaction } from '@app/database';
import { BatchUpkeepModule, BulkModule } from '@app/bulk';
import { AuthModule, SigningModule } from '@app/auth';
import { CrawlRunningModule, CrawlsModule } from '@app/crawls';
import { JobCacheModule, JobDeletionModule, JobExpiryModule, JobHistoryModule } from '@app/jobs';
import { MonitorsModule } from '@app/monitors';
import { WebhookSendingModule } from '@app/webhooks';
import { PostgresBuckets } from '../../libs/usage/src/rates/postgres-buckets.js';
import { startJobs } from '../support/jobs.js';
import type { StartedModules } from '../support/modules.js';
import { OF_OTHER, type Owner } from './owned-rows.js';
import { asJson, rowsOf } from './rows-of-account.js';

/** Rows before and after a call that the other does not have, each as text that begins with the name of its table. */
export interface Changes {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** What a call has returned, and what it has changed in the rows of each account. */
export interface Observed {
  readonly returned: string;
  readonly own: Changes;
  readonly other: Changes;
}

export const NO_CHANGES: Changes = { removed: [], added: [] };

/** They have a connection of their own, which on a busy machine may take a while. */
const BUCKETS = {
  provide: PostgresBuckets,
  inject: [Env],
  useFactory: (env: Env) => new PostgresBuckets(env, 20_000),
};

/** A database with the rows of one account, or with the equal rows of two, and the repositories on it. */
export class World {
  private seeded: readonly string[] = [];
  private tables: readonly string[] = [];
  /** Times that rows had before a call: any other one is the time of the call. */
  private times = new Set<string>();
  private isChanged = true;

  private constructor(
    private readonly started: StartedModules,
    private readonly owners: readonly Owner[],
    private readonly base: Date,
  ) {}

  static async open(owners: readonly Owner[], base: Date): Promise<World> {
    const modules = [AuthModule, SigningModule, BulkModule, BatchUpkeepModule, JobDeletionModule];
    const world = new World(
      await startJobs({
        imports: [
          ...modules,
          JobCacheModule,
          JobExpiryModule,
          JobHistoryModule,
          CrawlRunningModule,
          CrawlsModule,
          MonitorsModule,
          WebhookSendingModule,
        ],
        providers: [BUCKETS],
      }),
      owners,
      base,
    );
    const { rows } = await world.database.query<{ name: string }>(
      `SELECT DISTINCT table_name AS name FROM information_schema.columns
        WHERE table_schema = 'public' AND column_name IN ('account_id', 'key_id', 'capture_id', 'crawl_id') UNION SELECT 'accounts'`,
    );
    world.tables = rows.map(({ name }) => name).sort();
    return world;
  }

  close(): Promise<void> {
    return this.started.close();
  }

  /** Calls a method of a repository in a transaction, and observes what it returns and what it leaves behind. */
  async observe<Repository extends object>(
    type: new (...args: never[]) => Repository,
    call: (repository: Repository, transaction: Transaction) => unknown,
  ): Promise<Observed> {
    if (this.isChanged) await this.seed();
    this.isChanged = true;
    const repository = this.started.app.get<Repository>(type, { strict: false });
    const returned = await this.started.app
      .get(DatabaseService)
      .transaction(async (transaction) => this.textOf(await collected(call(repository, transaction))));
    const after = (await this.readRows()).map((row) => this.textOf(row));
    const removed = missingIn(after, this.seeded);
    const added = missingIn(this.seeded, after);
    this.isChanged = removed.length + added.length > 0;
    const of = (isOther: boolean): Changes => {
      const belongs = (row: string): boolean => OF_OTHER.test(row) === isOther;
      return { removed: removed.filter(belongs), added: added.filter(belongs) };
    };
    return { returned, own: of(false), other: of(true) };
  }

  /** The first row of each table that has some, as a query without a condition finds it. */
  async firstRows(): Promise<string[]> {
    await this.seed();
    const each = this.tables.map(
      (table) => `(SELECT '${table} ' || to_jsonb(t)::text AS row FROM ${table} AS t LIMIT 1)`,
    );
    const { rows } = await this.database.query<{ row: string }>(each.join(' UNION ALL '));
    return rows.map(({ row }) => row);
  }

  private get database(): Pool {
    return this.started.database;
  }

  private async seed(): Promise<void> {
    // Without triggers and the checks of foreign keys, so that the order of the tables does not matter.
    await this.database.query(
      `BEGIN; SET LOCAL session_replication_role = replica;
       ${this.tables.map((table) => `DELETE FROM ${table};`).join(' ')} COMMIT`,
    );
    for (const owner of this.owners) await this.insert(owner);
    const seeded = await this.readRows();
    this.times = new Set(seeded.flatMap((row) => row.match(TIME) ?? []));
    this.seeded = seeded.map((row) => this.textOf(row));
  }

  /**
   * A statement for each owner: the rows of the other one then lie before those of the own account in every table, and are what a query
   * without its account finds first. PostgreSQL runs the parts of one statement in an order of its own.
   */
  private async insert(owner: Owner): Promise<void> {
    const rows = rowsOf(owner, this.base);
    const inserts = rows.map(([table, row], i) => {
      const columns = Object.keys(row).join(', ');
      return `row${i} AS (INSERT INTO ${table} (${columns})
        SELECT ${columns} FROM json_populate_record(NULL::${table}, $${i + 1}))`;
    });
    await this.database.query(
      `WITH ${inserts.join(', ')} SELECT`,
      rows.map(([, row]) => asJson(row)),
    );
  }

  private async readRows(): Promise<string[]> {
    const each = this.tables.map(
      (table) => `SELECT '${table} ' || to_jsonb(t)::text AS row FROM ${table} AS t`,
    );
    const { rows } = await this.database.query<{ row: string }>(each.join(' UNION ALL '));
    return rows.map(({ row }) => row).sort();
  }

  /** A value as text, in which the time of the call and what depends on it are not told apart. */
  private textOf(value: unknown): string {
    const text = typeof value === 'string' ? value : (JSON.stringify(value, plain) ?? 'nothing');
    return text
      .replace(TIME, (time) => (this.times.has(time) ? time : 'a time of the call'))
      .replace(AGE, '"$1":"an age"');
  }
}

/** A row for `json_populate_record`. */
/** Times as JavaScript and as PostgreSQL write them, without the zone; both are UTC here. */
const TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?/g;
const AGE = /"(ageS|meanAgeS|spanS|countedUntilMs|at_ms)": ?[\d.e+-]+/g;

/** The rows that are not among others; an equal row may be there several times. */
function missingIn(others: readonly string[], rows: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const row of others) left.set(row, (left.get(row) ?? 0) + 1);
  return rows.filter((row) => {
    const count = left.get(row) ?? 0;
    left.set(row, count - 1);
    return count <= 0;
  });
}

function plain(_: string, value: unknown): unknown {
  if (value instanceof Map) return [...value.entries()].sort();
  if (value instanceof Set) return [...value].sort();
  return value;
}

/** What a call returns, with all that an async generator yields. */
async function collected(result: unknown): Promise<unknown> {
  const value = await result;
  if (typeof value !== 'object' || value === null || !(Symbol.asyncIterator in value)) return value;
  const yielded: unknown[] = [];
  for await (const each of value as AsyncIterable<unknown>) yielded.push(each);
  return yielded;
}
