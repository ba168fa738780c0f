import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Env } from '@app/config';
import { DatabaseModule } from '@app/database';
import { Clock, SystemClock } from '@app/kernel';
import { Account } from '../account.entity.js';
import { AccountRepository } from '../account.repository.js';
import { AccountRates } from './account-rates.js';
import { PostgresBuckets } from './postgres-buckets.js';
import { RateBuckets } from './rate-buckets.js';
import { RatesService } from './rates.service.js';
import { RedisBuckets } from './redis-buckets.js';

/** The request rates; for the API alone, as it keeps a connection of its own. */
@Module({
  imports: [DatabaseModule, TypeOrmModule.forFeature([Account])],
  providers: [
    AccountRepository,
    AccountRates,
    RatesService,
    {
      provide: RateBuckets,
      inject: [Env],
      useFactory: (env: Env): RateBuckets =>
        env.REDIS_URL === undefined ? new PostgresBuckets(env) : new RedisBuckets(env.REDIS_URL),
    },
    { provide: Clock, useClass: SystemClock },
  ],
  exports: [RatesService],
})
export class RatesModule {}
