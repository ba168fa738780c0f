import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { AppError, Clock, pluralize } from '@app/kernel';
import { WebhooksService } from '@app/webhooks';
import { allowanceExhausted } from './allowance-exhausted.js';
import { LedgerRepository, type Charge } from './ledger.repository.js';
import { monthOf } from './month.js';
import { SlotRepository, type FreeSlots, type LeasedSlot, type Slot } from './slot.repository.js';
import { slotWaitS } from './slot-wait.js';
import { thresholdReached, thresholdsDue } from './thresholds.js';
import { UsageRepository, type Allowance, type Taking } from './usage.repository.js';

/** `GET /v1/usage`, as given. `available = total − used`, always. */
export interface Usage {
  readonly total: number;
  readonly used: number;
  readonly available: number;
  readonly concurrency: { readonly limit: number; readonly remaining: number; readonly reset_unix: number };
}

/** What one accepted capture holds of its account until it is settled; becomes a charge if it succeeds. */
export type Reservation = Charge;

/** Units of one account's allowance. */
export interface ReservedUnits {
  readonly period: string;
  readonly units: number;
}

/**
 * Keeps count of what accounts may use: one unit of allowance per capture, one slot per capture in progress.
 *
 * A capture belongs to the month (UTC) in which it was accepted, by the clock of the process that accepts it, whenever it
 * ends: it is charged to that month, and a unit that it gives back is that month's. The new month begins with what is
 * accepted in it. Processes whose clocks differ may disagree for so long on which month it is, never on how much of
 * either is used.
 */
@Injectable()
export class UsageService {
  constructor(
    private readonly repository: UsageRepository,
    private readonly slots: SlotRepository,
    private readonly ledger: LedgerRepository,
    private readonly webhooks: WebhooksService,
    private readonly clock: Clock,
  ) {}

  /**
   * Reserves units, all or none; returns the period they belong to.
   *
   * @throws AppError `allowance_exhausted`
   */
  async reserve(transaction: Transaction, accountId: string, units = 1): Promise<string> {
    const wanted = new Map([[accountId, units]]);
    const [taking] = await this.repository.takeUnits(transaction, wanted, this.month());
    if (!taking) {
      const { available } = await this.readAllowance(transaction, accountId);
      throw allowanceExhausted(units, available);
    }
    await this.announce(transaction, taking);
    return taking.period;
  }

  /** What a reservation would find now. Another may be first: only `reserve` makes it sure. */
  async readAllowance(transaction: Transaction, accountId: string): Promise<Allowance> {
    const allowance = await this.repository.readCounter(transaction, accountId, this.month());
    if (!allowance) throw new AppError('not_found');
    return allowance;
  }

  /** Reserves as many of these units as each account has left; an account that has none is missing in the result. */
  async reserveWhatFits(
    transaction: Transaction,
    wanted: ReadonlyMap<string, number>,
  ): Promise<Map<string, ReservedUnits>> {
    const month = this.month();
    const takings = await this.repository.takeUnits(transaction, wanted, month);
    const whole = new Map(takings.map((taking) => [taking.accountId, taking]));
    const reserved = new Map<string, ReservedUnits>();
    for (const [accountId, units] of [...wanted].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const all = whole.get(accountId);
      const part = all
        ? { ...all, units }
        : await this.repository.takeRest(transaction, accountId, { units, month });
      if (!part) continue;
      await this.announce(transaction, part);
      reserved.set(accountId, { period: part.period, units: part.units });
    }
    return reserved;
  }

  /**
   * Takes a slot for a job of which `reserve` was called in the same transaction. It is free again when the job is
   * settled, and after `holdMs` even if nobody settles it.
   *
   * @throws AppError `concurrency_exceeded`
   */
  async holdSlot(transaction: Transaction, slot: Slot): Promise<void> {
    if (await this.slots.takeSlot(transaction, slot)) return;
    const held = await this.slots.readHeld(transaction, slot.accountId);
    const captures = pluralize(held.held, 'capture is', 'captures are');
    throw new AppError('concurrency_exceeded', {
      detail: `${captures} in progress, and the account may have ${held.limit}. Retry after Retry-After seconds, or queue it by POST /v1/jobs.`,
      retryAfterS: slotWaitS(held),
    });
  }

  /**
   * Takes slots for waiting jobs, in their order, as far as their accounts have them; returns the ids of the jobs that
   * hold one now. The transaction has locked the jobs, and there is one such transaction at a time.
   */
  holdSlots(transaction: Transaction, slots: readonly Slot[]): Promise<string[]> {
    return this.slots.takeSlots(transaction, slots);
  }

  /** Those of these accounts that have slots free just now, the one that was served longest ago first. */
  listFree(transaction: Transaction, accountIds: readonly string[]): Promise<FreeSlots[]> {
    return this.slots.listFree(transaction, accountIds);
  }

  /** Holds the slots of jobs that are queued for `holdMs` from now, unless they are held for longer already. */
  async keepSlots(transaction: Transaction, slots: readonly Pick<Slot, 'jobId' | 'holdMs'>[]): Promise<void> {
    if (slots.length > 0) await this.slots.extendSlots(transaction, slots);
  }

  /**
   * Holds the slots of jobs that a worker has for as long as its leases, and no longer: the slot of a worker that dies is
   * counted until its lease is over, however much time its capture was given.
   */
  async leaseSlots(slots: readonly LeasedSlot[]): Promise<void> {
    if (slots.length > 0) await this.slots.leaseSlots(slots);
  }

  /** Ends a reservation: the slot is freed, and the unit charged if the capture succeeded, else given back. */
  async settle(transaction: Transaction, reservation: Reservation, succeeded: boolean): Promise<void> {
    await this.slots.freeSlot(transaction, reservation.jobId);
    if (succeeded) await this.ledger.add(transaction, reservation);
    else await this.giveBack(transaction, [reservation]);
  }

  /** Ends reservations of one account without a charge; a few statements, however many they are. */
  async release(transaction: Transaction, reservations: readonly Reservation[]): Promise<void> {
    await this.slots.freeSlots(
      transaction,
      reservations.map(({ jobId }) => jobId),
    );
    await this.giveBack(transaction, reservations);
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

  /** Period by period, in their order, so that two such calls never deadlock. */
  private async giveBack(transaction: Transaction, reservations: readonly Reservation[]): Promise<void> {
    const units = new Map<string, ReservedUnits & { accountId: string }>();
    for (const { accountId, period } of reservations) {
      units.set(period, { accountId, period, units: (units.get(period)?.units ?? 0) + 1 });
    }
    for (const [, { accountId, ...part }] of [...units].sort(([a], [b]) => (a < b ? -1 : 1))) {
      await this.repository.giveUnitsBack(transaction, accountId, part);
    }
  }

  private async announce(transaction: Transaction, taking: Taking): Promise<void> {
    const due = thresholdsDue(taking);
    const highest = due.at(-1);
    if (highest === undefined || taking.webhookUrl === null) return;
    await this.repository.markAnnounced(transaction, taking, highest);
    const { accountId, webhookUrl: url } = taking;
    for (const threshold of due) {
      const data = thresholdReached(threshold, taking);
      await this.webhooks.announce(transaction, {
        accountId,
        subjectId: accountId,
        url,
        type: 'usage.threshold',
        data,
      });
    }
  }

  private month(): string {
    return monthOf(this.clock.now());
  }
}
