import { Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Redis } from 'ioredis';
import { TOKEN, withTimeout } from '@app/kernel';
import { RateBuckets, type RateAsk } from './rate-buckets.js';

/** A connection without an answer for this long is reopened, long before TCP would give it up. */
const SOCKET_TIMEOUT_MS = 5_000;

/** Uses the clock of Redis. A missing bucket counts as full, so a bucket expires when it is full again. */
const TAKE = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local rate, full, asked = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
  local bucket = redis.call('HMGET', KEYS[1], 'level', 'at_ms')
  local level = tonumber(bucket[1] or full)
  local elapsed = math.max(0, now - tonumber(bucket[2] or now))
  level = math.min(full, level + elapsed * rate)
  local rest = level - math.min(asked, math.floor(level / ${TOKEN})) * ${TOKEN}
  redis.call('HSET', KEYS[1], 'level', string.format('%.0f', rest), 'at_ms', string.format('%.0f', now))
  redis.call('PEXPIRE', KEYS[1], math.ceil((full - rest) / rate) + 1000)
  return string.format('%.0f', level)`;

interface Scripted {
  takeTokens(key: string, rate: number, full: number, asked: number): Promise<string>;
}

/** Buckets in Redis, with one script call for each account. */
export class RedisBuckets extends RateBuckets implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(RedisBuckets.name);
  private readonly client: Redis & Scripted;

  constructor(
    url: string,
    private readonly timeoutMs: number,
  ) {
    super();
    const client = new Redis(url, {
      lazyConnect: true,
      connectionName: 'capture-rates',
      connectTimeout: timeoutMs,
      commandTimeout: timeoutMs,
      socketTimeout: SOCKET_TIMEOUT_MS,
      // A command that cannot be sent now is not sent later, when its request has long been let through.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResubscribe: false,
      enableAutoPipelining: true,
    });
    client.defineCommand('takeTokens', { numberOfKeys: 1, lua: TAKE });
    // RatesService logs an outage once; this event repeats with every attempt to connect.
    client.on('error', (error: Error) => {
      this.logger.debug(`rates: ${error.message}`);
    });
    this.client = client as Redis & Scripted;
  }

  async onModuleInit(): Promise<void> {
    // The API also starts while Redis is down; the client keeps trying to connect.
    await withTimeout(this.client.connect(), this.timeoutMs, 'connecting to Redis').catch(() => undefined);
  }

  async takeTokens(asks: readonly RateAsk[]): Promise<readonly number[]> {
    const levels = await Promise.all(
      asks.map(({ accountId, limit, tokens }) =>
        this.client.takeTokens(`capture:rate:${accountId}`, limit.rate, limit.burst * TOKEN, tokens),
      ),
    );
    return levels.map(Number);
  }

  onApplicationShutdown(): void {
    this.client.disconnect();
  }
}
