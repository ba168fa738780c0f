import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { AppError } from '@app/kernel';
import { UsageService, type KeptLimits, type ReservedUnits } from '@app/usage';
import { DeliveryRepository } from '@app/webhooks';
import { KeptCapturesRepository } from './kept-captures.repository.js';
import type { NewJob } from './new-job.js';

/** The jobs that fit, and why accounts did not get the others in. */
export interface Fitting {
  readonly jobs: readonly NewJob[];
  readonly refusals: ReadonlyMap<string, AppError>;
}

/** What an account may still add. */
interface Room {
  readonly captures: number;
  readonly webhooks: boolean;
  readonly refusal: AppError;
}

/**
 * Keeps accounts within the limits of what they keep. The counter of the account is locked by the reservation of its units, so that two
 * transactions never count the same room. An account without limits costs no statement.
 */
@Injectable()
export class AccountRoomService {
  constructor(
    private readonly usage: UsageService,
    private readonly kept: KeptCapturesRepository,
    private readonly deliveries: DeliveryRepository,
  ) {}

  /** Returns the units of jobs that do not fit. @param jobs that the reserved units cover, and that are not stored yet */
  async fit(
    transaction: Transaction,
    reserved: ReadonlyMap<string, ReservedUnits>,
    jobs: readonly NewJob[],
  ): Promise<Fitting> {
    const refusals = new Map<string, AppError>();
    const refused = new Set<string>();
    for (const [accountId, part] of reserved) {
      if (!part.kept) continue;
      const own = jobs.filter((job) => job.accountId === accountId);
      const room = await this.read(transaction, accountId, part.kept);
      const fitting = own
        .filter(({ webhookUrl }) => room.webhooks || webhookUrl === null)
        .slice(0, Math.max(0, room.captures));
      if (fitting.length === own.length) continue;
      const ids = new Set(fitting.map(({ id }) => id));
      for (const { id } of own) if (!ids.has(id)) refused.add(id);
      refusals.set(accountId, room.refusal);
      const { period } = part;
      await this.usage.giveBack(transaction, accountId, { period, units: own.length - fitting.length });
    }
    return { jobs: jobs.filter(({ id }) => !refused.has(id)), refusals };
  }

  /**
   * Checks an account that has stored its jobs in the same transaction.
   *
   * @throws AppError `limit_reached`
   */
  async assertKept(
    transaction: Transaction,
    accountId: string,
    { limits, hasWebhook }: { readonly limits: KeptLimits | null; readonly hasWebhook: boolean },
  ): Promise<void> {
    if (!limits) return;
    const room = await this.read(transaction, accountId, limits);
    if (room.captures < 0 || (hasWebhook && !room.webhooks)) throw room.refusal;
  }

  private async read(transaction: Transaction, accountId: string, limits: KeptLimits): Promise<Room> {
    const { captures, bytes } = await this.kept.count(transaction, accountId);
    const pending = limits.webhooks === null ? 0 : await this.deliveries.countPending(transaction, accountId);
    const isFull = limits.bytes !== null && bytes >= limits.bytes;
    return {
      // Files are not there yet: what is accepted now may still exceed the bytes.
      captures: isFull ? -1 : (limits.captures ?? Infinity) - captures,
      webhooks: limits.webhooks === null || pending < limits.webhooks,
      refusal: refusalOf(limits, { captures, bytes, pending }),
    };
  }
}

interface Kept {
  readonly captures: number;
  readonly bytes: number;
  readonly pending: number;
}

function refusalOf(limits: KeptLimits, { captures, bytes, pending }: Kept): AppError {
  const isFull = limits.bytes !== null && bytes >= limits.bytes;
  const hasPending = limits.webhooks !== null && pending >= limits.webhooks;
  const detail = isFull
    ? `The account may keep ${limits.bytes} bytes of files, and keeps ${bytes}. Delete captures, or wait until their files expire.`
    : hasPending
      ? `The account may have ${limits.webhooks} deliveries of webhooks that wait, and has ${pending}. Wait, or leave webhook_url out.`
      : `The account may keep ${limits.captures} captures, and keeps ${captures}. Delete records, or wait until they expire.`;
  return new AppError('limit_reached', { detail });
}
