import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { assertSameRequest, IdempotencyKeyRepository, type Idempotency } from '@app/jobs';
import type { Monitor } from './monitor.entity.js';
import { MonitorLockService } from './monitor-lock.service.js';
import { scheduleOf } from './monitor-schedule.js';
import { MonitorRepository } from './monitor.repository.js';
import { latestDue, nextInstant } from './schedule/schedule.js';
import { CheckIntakeService, type Instant } from './scheduling/check-intake.service.js';
import { DueMonitorRepository } from './scheduling/due-monitor.repository.js';
import { runAtOf } from './scheduling/scheduler.service.js';
import { SettlementService } from './outcomes/settlement.service.js';

/** A monitor of an account that is to be changed, and the Idempotency-Key of the request. */
export interface ControlRequest {
  readonly accountId: string;
  readonly id: string;
  readonly idempotency?: Idempotency | undefined;
}

/**
 * Pauses and resumes monitors, and runs them now. Each locks its monitor, and says whether an earlier request with the same
 * Idempotency-Key has done it already: the repetition of a pause does not end a later resumption.
 */
@Injectable()
export class MonitorControlService {
  constructor(
    private readonly locks: MonitorLockService,
    private readonly monitors: MonitorRepository,
    private readonly due: DueMonitorRepository,
    private readonly intake: CheckIntakeService,
    private readonly settlement: SettlementService,
    private readonly keys: IdempotencyKeyRepository,
  ) {}

  /** @throws AppError `not_found`, `idempotency_mismatch` */
  pause(request: ControlRequest): Promise<boolean> {
    return this.once(request, async (transaction, monitor) => {
      await this.settlement.pause(transaction, monitor, { reason: 'request', check: null });
    });
  }

  /**
   * Lets a paused monitor go on with the next instant after now. One skipped check stands for the instants that passed meanwhile.
   *
   * @throws AppError `not_found`, `idempotency_mismatch`
   */
  resume(request: ControlRequest): Promise<boolean> {
    return this.once(request, async (transaction, monitor) => {
      const { id } = monitor;
      if (monitor.state === 'active') return;
      const { now, pages } = await this.due.describe(transaction, [monitor]);
      const schedule = scheduleOf(monitor);
      const { nextDueAt: first } = monitor;
      let nextDueAt = first ?? nextInstant(schedule, now);
      if (first !== null && first <= now) {
        const { dueAt, missed, nextAt } = latestDue(schedule, first, now);
        const instant = { monitor, pages: pages.get(id) ?? [], dueAt, missed, trigger: 'schedule' } as const;
        await this.intake.store(transaction, [{ ...instant, skipped: 'paused' }]);
        nextDueAt = nextAt;
      }
      const times = { nextDueAt, nextRunAt: runAtOf(monitor, nextDueAt) };
      await this.monitors.change(transaction, id, { state: 'active', pauseReason: null, ...times });
    });
  }

  /**
   * Checks the pages now, also while the monitor is paused. While a check is open, the new one is skipped.
   *
   * @throws AppError `not_found`, `idempotency_mismatch`
   */
  async run(request: ControlRequest): Promise<boolean> {
    await this.intake.refresh();
    return this.once(request, async (transaction, monitor) => {
      const { now: dueAt, busy, pages } = await this.due.describe(transaction, [monitor]);
      const instant: Instant = {
        monitor,
        pages: pages.get(monitor.id) ?? [],
        dueAt,
        missed: 0,
        trigger: 'request',
        skipped: busy.has(monitor.id) ? 'overlap' : null,
      };
      await this.intake.store(transaction, [instant]);
    });
  }

  private once(
    { accountId, id, idempotency }: ControlRequest,
    work: (transaction: Transaction, monitor: Monitor) => Promise<void>,
  ): Promise<boolean> {
    return this.locks.withLocked(accountId, id, async (transaction, monitor) => {
      if (idempotency && (await this.isRepeated(transaction, monitor, idempotency))) return true;
      await work(transaction, monitor);
      return false;
    });
  }

  private async isRepeated(
    transaction: Transaction,
    { id: subjectId, accountId }: Monitor,
    idempotency: Idempotency,
  ): Promise<boolean> {
    const [earlier] = await this.keys.claim(transaction, [{ ...idempotency, accountId, subjectId }]);
    if (earlier) assertSameRequest(earlier, idempotency.fingerprint);
    return earlier !== undefined;
  }
}
