import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IdempotencyKey } from './idempotency-key.entity.js';
import { IdempotencyKeyRepository } from './idempotency-key.repository.js';

/** The stored Idempotency-Keys, for acceptance, which claims them, and for those that release, redact or purge them. */
@Module({
  imports: [TypeOrmModule.forFeature([IdempotencyKey])],
  providers: [IdempotencyKeyRepository],
  exports: [IdempotencyKeyRepository],
})
export class IdempotencyKeyModule {}
