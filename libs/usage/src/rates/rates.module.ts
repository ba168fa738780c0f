import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Env } from '@app/config';
import { DatabaseModule } from '@app/database';
import { Account } from '../account.entity.js';
import { AccountRepository } from '../account.repository.js';
import { AccountRatesService } from './account-rates.service.js';
import { PostgresBuckets } from './postgres-buckets.js';
import { RATE_STORE_TIMEOUT_MS, RateBuckets } from './rate-buckets.js';
import { RatesService } from './rates.service.js';

/** Longer than a healthy store takes, and too short for a caller to notice. */
const STORE_TIMEOUT_MS = 500;

/** The request rates. Only for the API, because it opens a connection of its own. */
@Module({
  imports: [DatabaseModule, TypeOrmModule.forFeature([Account])],
  providers: [
    AccountRepository,
    AccountRatesService,
    RatesService,
    { provide: RATE_STORE_TIMEOUT_MS, useValue: STORE_TIMEOUT_MS },
    {
      provide: RateBuckets,
      inject: [Env, RATE_STORE_TIMEOUT_MS],
      useFactory: bucketsOf,
    },
  ],
  exports: [RatesService],
})
export class RatesModule {}

async function bucketsOf(env: Env, timeoutMs: number): Promise<RateBuckets> {
  if (env.REDIS_URL === undefined) return new PostgresBuckets(env, timeoutMs);
  // Imported on demand, as most installations have no Redis.
  const { RedisBuckets } = await import('./redis-buckets.js');
  return new RedisBuckets(env.REDIS_URL, timeoutMs);
}
