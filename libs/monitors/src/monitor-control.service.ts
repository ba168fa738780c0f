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

/** Pauses and resumes monitors, and runs them now. Each locks its monitor. */
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

  /** @throws AppError `not_found` */
  async pause(accountId: string, id: string): Promise<void> {
    await this.locks.withLocked(accountId, id, async (transaction, monitor) => {
      await this.settlement.pause(transaction, monitor, { reason: 'request', check: null });
    });
  }

  /**
   * Lets a paused monitor go on with the next instant after now. One skipped check stands for the instants that passed meanwhile.
   *
   * @throws AppError `not_found`
   */
  async resume(accountId: string, id: string): Promise<void> {
    await this.locks.withLocked(accountId, id, async (transaction, monitor) => {
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
   * @param idempotency a repeated request with it changes nothing
   * @throws AppError `not_found`, `idempotency_mismatch`, `idempotency_in_flight`
   */
  async run(accountId: string, id: string, idempotency?: Idempotency): Promise<void> {
    await this.intake.refresh();
    await this.locks.withLocked(accountId, id, async (transaction, monitor) => {
      if (idempotency && (await this.isRepeated(transaction, monitor, idempotency))) return;
      const { now: dueAt, busy, pages } = await this.due.describe(transaction, [monitor]);
      const instant: Instant = {
        ...{ monitor, pages: pages.get(id) ?? [], dueAt, missed: 0, trigger: 'request' },
        skipped: busy.has(id) ? 'overlap' : null,
      };
      await this.intake.store(transaction, [instant]);
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
