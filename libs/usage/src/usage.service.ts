import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { AppError, Clock } from '@app/kernel';
import { UsageRepository } from './usage.repository.js';

/** `GET /v1/usage`, as given. `available = total − used`, always. */
export interface Usage {
  readonly total: number;
  readonly used: number;
  readonly available: number;
  readonly concurrency: { readonly limit: number; readonly remaining: number; readonly reset_unix: number };
}

/** What one accepted capture holds of its account until it is settled. */
export interface Reservation {
  readonly accountId: string;
  readonly jobId: string;
  /** Of the allowance; given by `reserve`. */
  readonly period: string;
}

/** Keeps count of what accounts may use: one unit of allowance per capture, one slot per capture in progress. */
@Injectable()
export class UsageService {
  constructor(
    private readonly repository: UsageRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Reserves one unit; returns the period it belongs to.
   *
   * @throws AppError `allowance_exhausted`
   */
  async reserve(transaction: Transaction, accountId: string): Promise<string> {
    const period = await this.repository.takeUnit(transaction, accountId, this.month());
    if (period === null) throw new AppError('allowance_exhausted');
    return period;
  }

  /**
   * Takes a slot for a job of which `reserve` was called in the same transaction. It is free again when the job is
   * settled, and after `holdMs` even if nobody settles it.
   *
   * @throws AppError `concurrency_exceeded`
   */
  async holdSlot(
    transaction: Transaction,
    slot: { accountId: string; jobId: string; holdMs: number },
  ): Promise<void> {
    const held = await this.repository.takeSlot(transaction, slot);
    if (!held) throw new AppError('concurrency_exceeded', { retryAfterS: 1 });
  }

  /** Ends a reservation: the slot is freed, and the unit given back unless the capture succeeded. */
  async settle(transaction: Transaction, reservation: Reservation, succeeded: boolean): Promise<void> {
    await this.repository.freeSlot(transaction, reservation.jobId);
    if (!succeeded)
      await this.repository.giveUnitBack(transaction, reservation.accountId, reservation.period);
  }

  async report(accountId: string): Promise<Usage> {
    const reading = await this.repository.read(accountId, this.month());
    if (!reading) throw new AppError('not_found');
    const { total, used, limit, inProgress, freeAt } = reading;
    const resetAt = freeAt ?? this.clock.now();
    return {
      total,
      used,
      available: total - used,
      concurrency: {
        limit,
        remaining: Math.max(0, limit - inProgress),
        reset_unix: Math.ceil(resetAt.getTime() / 1_000),
      },
    };
  }

  /** The calendar month (UTC) as `2026-11`. */
  private month(): string {
    return this.clock.now().toISOString().slice(0, 7);
  }
}
