import { Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Env } from '@app/config';
import { databaseUrl, Pool } from '@app/database';
import { TOKEN } from '@app/kernel';
import { RateBuckets, type RateAsk } from './rate-buckets.js';

/** A timestamp further in the future than this means that the clock was set back; it is replaced. */
const CLOCK_SKEW_MS = 10_000;

/**
 * One statement for the requests of many accounts. A row stores the level before the last request and what that request
 * asked for, from which the next statement and the reader of the result compute the rest. Rows are locked in the order of
 * their accounts, so that two processes never deadlock.
 */
const TAKE = `
  INSERT INTO rate_buckets AS bucket (account_id, rate, level, asked, at_ms)
  SELECT account_id, rate, burst::bigint * ${TOKEN}, asked, floor(extract(epoch FROM now()) * 1000)
    FROM unnest($1::uuid[], $2::int[], $3::int[], $4::int[]) AS ask (account_id, rate, burst, asked)
   ORDER BY account_id
  ON CONFLICT (account_id) DO UPDATE SET
    rate = excluded.rate,
    level = least(excluded.level,
      bucket.level - least(bucket.asked, bucket.level / ${TOKEN}) * ${TOKEN}
        + greatest(0, excluded.at_ms - bucket.at_ms) * excluded.rate),
    asked = excluded.asked,
    -- A statement that waited for a lock began before the row was written; that time is counted already.
    at_ms = CASE WHEN bucket.at_ms < excluded.at_ms + ${CLOCK_SKEW_MS}
      THEN greatest(bucket.at_ms, excluded.at_ms) ELSE excluded.at_ms END
  RETURNING account_id, level`;

/**
 * Buckets in PostgreSQL, on a connection of their own: in the pool, a check would queue behind transactions that wait for
 * the disk.
 */
export class PostgresBuckets extends RateBuckets implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(PostgresBuckets.name);
  private readonly pool: Pool;

  constructor(env: Env, timeoutMs: number) {
    super();
    this.pool = new Pool({
      connectionString: databaseUrl(env),
      application_name: 'capture-rates',
      max: 1,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      idleTimeoutMillis: 0,
      keepAlive: true,
    });
    // An idle connection broke; the next statement opens another.
    this.pool.on('error', (error) => {
      this.logger.debug(`rates: ${error.message}`);
    });
  }

  /** Connects before the first request, which might otherwise time out and be counted by this process alone. */
  async onModuleInit(): Promise<void> {
    // The API also starts while the database is down.
    await this.pool.query('SELECT').catch(() => undefined);
  }

  async takeTokens(asks: readonly RateAsk[]): Promise<readonly number[]> {
    const { rows } = await this.pool.query<{ account_id: string; level: string }>(TAKE, [
      asks.map(({ accountId }) => accountId),
      asks.map(({ limit }) => limit.rate),
      asks.map(({ limit }) => limit.burst),
      asks.map(({ tokens }) => tokens),
    ]);
    const levels = new Map(rows.map(({ account_id, level }) => [account_id, Number(level)]));
    return asks.map(({ accountId }) => levels.get(accountId) ?? 0);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}
