import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { AppError, Clock, pluralize } from '@app/kernel';
import { WebhooksService } from '@app/webhooks';
import { allowanceExhausted, monthOf } from './allowance.js';
import { LedgerRepository, type Charge } from './ledger.repository.js';
import { SlotRepository, slotWaitS, type FreeSlots, type LeasedSlot, type Slot } from './slot.repository.js';
import { thresholdReached, thresholdsDue } from './thresholds.js';
import { UsageRepository, type Allowance, type KeptLimits, type Taking } from './usage.repository.js';

/** The response of `GET /v1/usage`. `available` is always `total − used`. */
export interface Usage {
  readonly total: number;
  readonly used: number;
  readonly available: number;
  readonly concurrency: { readonly limit: number; readonly remaining: number; readonly reset_unix: number };
}

/** The unit and the slot that an accepted capture holds until it ends. The unit becomes a charge if it succeeds. */
export type Reservation = Charge;

/** Units of one account's allowance. */
export interface ReservedUnits {
  readonly period: string;
  readonly units: number;
  /** What the captures of the account may have at once, where it has any such limit. */
  readonly kept?: KeptLimits | null;
}

/**
 * Reserves and charges what captures use: one unit of the allowance each, and one slot each while in progress.
 *
 * A capture belongs to the month (UTC) in which it was accepted, by the clock of the process that accepted it: it is
 * charged to that month whenever it ends, and an uncharged unit is returned to that month. Processes whose clocks differ
 * may briefly disagree on the current month, never on how much of a month is used.
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
   * Reserves units, all or none. Returns their period.
   *
   * @throws AppError `allowance_exhausted`, `account_paused`
   */
  async reserve(transaction: Transaction, accountId: string, units = 1): Promise<string> {
    const wanted = new Map([[accountId, units]]);
    const [taking] = await this.repository.takeUnits(transaction, wanted, this.month());
    if (!taking) throw await this.refusalOf(transaction, accountId, units);
    await this.announce(transaction, taking);
    return taking.period;
  }

  /** What is left now. Another reservation may be first; only `reserve` decides. */
  async readAllowance(transaction: Transaction, accountId: string): Promise<Allowance> {
    const allowance = await this.repository.readCounter(transaction, accountId, this.month());
    if (!allowance) throw new AppError('not_found');
    return allowance;
  }

  /** Why the account has not got these units, after a reservation has failed. */
  async refusalOf(transaction: Transaction, accountId: string, units: number): Promise<AppError> {
    const { available, isPaused } = await this.readAllowance(transaction, accountId);
    return isPaused ? new AppError('account_paused') : allowanceExhausted(units, available);
  }

  /** Reserves as many of these units as each account has left. Accounts without any are missing from the result. */
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
      reserved.set(accountId, { period: part.period, units: part.units, kept: part.kept });
    }
    return reserved;
  }

  /**
   * Takes a slot for a job, after `reserve` in the same transaction. It is free when the job is settled, and after
   * `holdMs` at the latest. Returns how many slots the account holds now, including this one.
   *
   * @throws AppError `concurrency_exceeded`
   */
  async holdSlot(transaction: Transaction, slot: Slot): Promise<number> {
    const number = await this.slots.takeSlot(transaction, slot);
    if (number !== null) return number;
    const held = await this.slots.readHeld(transaction, slot.accountId);
    const captures = pluralize(held.held, 'capture is', 'captures are');
    throw new AppError('concurrency_exceeded', {
      detail: `${captures} in progress, and the account may have ${held.limit}. Retry after Retry-After seconds, or queue it by POST /v1/jobs.`,
      retryAfterS: slotWaitS(held),
    });
  }

  /**
   * Takes slots for waiting jobs, in their order, while their accounts have free ones. Returns the ids of the jobs that hold
   * one now. The transaction has locked the jobs, and only one such transaction runs at a time.
   */
  holdSlots(transaction: Transaction, slots: readonly Slot[]): Promise<string[]> {
    return this.slots.takeSlots(transaction, slots);
  }

  /** Lists the accounts among these that have free slots, least recently served first. */
  listFree(transaction: Transaction, accountIds: readonly string[]): Promise<FreeSlots[]> {
    return this.slots.listFree(transaction, accountIds);
  }

  /** Extends the slots of queued jobs to `holdMs` from now, unless they are held for longer already. */
  async keepSlots(transaction: Transaction, slots: readonly Pick<Slot, 'jobId' | 'holdMs'>[]): Promise<void> {
    if (slots.length > 0) await this.slots.extendSlots(transaction, slots);
  }

  /**
   * Holds the slots of jobs that a worker runs until their leases end: after a crash of the worker a slot is free when the
   * lease ends, however long the capture was allowed to take.
   */
  async leaseSlots(slots: readonly LeasedSlot[]): Promise<void> {
    if (slots.length > 0) await this.slots.leaseSlots(slots);
  }

  /** Ends a reservation: frees the slot, and charges the unit if the capture succeeded, or returns it. */
  async endReservation(
    transaction: Transaction,
    reservation: Reservation,
    succeeded: boolean,
  ): Promise<void> {
    await this.slots.freeSlot(transaction, reservation.jobId);
    if (succeeded) await this.ledger.add(transaction, reservation);
    else await this.returnUnits(transaction, [reservation]);
  }

  /** Returns units that were reserved and are not needed, in the same transaction. */
  giveBack(transaction: Transaction, accountId: string, { period, units }: ReservedUnits): Promise<void> {
    return this.repository.returnUnits(transaction, accountId, { period, units });
  }

  /** Ends reservations of one account without a charge, in a few statements however many they are. */
  async release(transaction: Transaction, reservations: readonly Reservation[]): Promise<void> {
    await this.slots.freeSlots(
      transaction,
      reservations.map(({ jobId }) => jobId),
    );
    await this.returnUnits(transaction, reservations);
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

  /** Updates counters in the order of their periods, so that two such calls never deadlock. */
  private async returnUnits(transaction: Transaction, reservations: readonly Reservation[]): Promise<void> {
    const units = new Map<string, ReservedUnits & { accountId: string }>();
    for (const { accountId, period } of reservations) {
      units.set(period, { accountId, period, units: (units.get(period)?.units ?? 0) + 1 });
    }
    for (const [, { accountId, ...part }] of [...units].sort(([a], [b]) => (a < b ? -1 : 1))) {
      await this.repository.returnUnits(transaction, accountId, part);
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
