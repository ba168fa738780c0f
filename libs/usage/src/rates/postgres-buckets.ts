import { Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import pg from 'pg';
import type { Env } from '@app/config';
import { databaseUrl } from '@app/database';
import { TOKEN } from '@app/kernel';
import { RateBuckets, type RateAsk } from './rate-buckets.js';

/** Of a row from the future only so much is believed; past it the clock was set back, and the row starts anew. */
const CLOCK_SKEW_MS = 10_000;

/**
 * One statement for all accounts that ask. A row keeps the level before what was last asked, and what that was: the
 * next statement reckons from both, and so does whoever reads what it returns. The rows are locked in the order of
 * their accounts, so that two processes never wait for each other.
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
    -- A statement that waited for another's lock began earlier than what it finds; that time was counted already.
    at_ms = CASE WHEN bucket.at_ms < excluded.at_ms + ${CLOCK_SKEW_MS}
      THEN greatest(bucket.at_ms, excluded.at_ms) ELSE excluded.at_ms END
  RETURNING account_id, level`;

/**
 * Buckets in PostgreSQL, on a connection of their own: on those of the pool a check would stand in line behind
 * transactions that wait for the disk.
 */
export class PostgresBuckets extends RateBuckets implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(PostgresBuckets.name);
  private readonly pool: pg.Pool;

  constructor(env: Env, timeoutMs: number) {
    super();
    this.pool = new pg.Pool({
      connectionString: databaseUrl(env),
      application_name: 'capture-rates',
      max: 1,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      idleTimeoutMillis: 0,
      keepAlive: true,
    });
    // Of a connection that breaks while nobody uses it; the next statement makes another.
    this.pool.on('error', (error) => {
      this.logger.debug(`rates: ${error.message}`);
    });
  }

  /** Connects before the first request, which would else be counted by this process alone where that takes long. */
  async onModuleInit(): Promise<void> {
    // A database that is away, or does not answer, is no reason not to start.
    await this.pool.query('SELECT').catch(() => undefined);
  }

  async take(asks: readonly RateAsk[]): Promise<readonly number[]> {
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
