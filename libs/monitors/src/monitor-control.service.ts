import { Injectable } from '@nestjs/common';
import { DatabaseService, type Transaction } from '@app/database';
import { AppError, isId } from '@app/kernel';
import type { Monitor } from './monitor.entity.js';
import { columnsOfSchedule, scheduleOf } from './monitor-schedule.js';
import type { MonitorChangeRequest, MonitorTarget } from './monitor-request.js';
import { MonitorRepository, type MonitorChange, type NewPage } from './monitor.repository.js';
import { hostOf, PageFactory } from './page.factory.js';
import { firstInstant, latestDue, nextInstant } from './schedule/schedule.js';
import { CheckIntakeService, type Instant } from './scheduling/check-intake.service.js';
import { DueMonitorRepository } from './scheduling/due-monitor.repository.js';
import { runAtOf } from './scheduling/scheduler.service.js';
import { SettlementService } from './outcomes/settlement.service.js';

/** Changes monitors that exist. Each change locks its monitor, so that none meets an instant half way. */
@Injectable()
export class MonitorControlService {
  constructor(
    private readonly database: DatabaseService,
    private readonly monitors: MonitorRepository,
    private readonly pages: PageFactory,
    private readonly due: DueMonitorRepository,
    private readonly intake: CheckIntakeService,
    private readonly settlement: SettlementService,
  ) {}

  /** @throws AppError `not_found`, `target_forbidden` */
  async change(accountId: string, id: string, request: MonitorChangeRequest): Promise<void> {
    const { target } = request;
    const pages = target && isId(id) ? await this.pages.makeAll({ id, accountId }, target) : null;
    await this.locked(accountId, id, async (transaction, monitor) => {
      const now = await this.monitors.now(transaction);
      if (pages) await this.replacePages(transaction, id, pages);
      await this.monitors.change(transaction, id, toChange(monitor, request, now));
    });
  }

  /** @throws AppError `not_found` */
  async pause(accountId: string, id: string): Promise<void> {
    await this.locked(accountId, id, async (transaction, monitor) => {
      await this.settlement.pause(transaction, monitor, { reason: 'request', check: null });
    });
  }

  /**
   * Lets a paused monitor go on with the next instant after now. One skipped check stands for the instants that passed meanwhile.
   *
   * @throws AppError `not_found`
   */
  async resume(accountId: string, id: string): Promise<void> {
    await this.locked(accountId, id, async (transaction, monitor) => {
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
   * @throws AppError `not_found`
   */
  async run(accountId: string, id: string): Promise<void> {
    await this.intake.refresh();
    await this.locked(accountId, id, async (transaction, monitor) => {
      const { now: dueAt, busy, pages } = await this.due.describe(transaction, [monitor]);
      const instant: Instant = {
        ...{ monitor, pages: pages.get(id) ?? [], dueAt, missed: 0, trigger: 'request' },
        skipped: busy.has(id) ? 'overlap' : null,
      };
      await this.intake.store(transaction, [instant]);
    });
  }

  private async replacePages(transaction: Transaction, id: string, pages: readonly NewPage[]): Promise<void> {
    await this.monitors.removePages(transaction, id);
    await this.monitors.addPages(transaction, pages);
  }

  private async locked(
    accountId: string,
    id: string,
    work: (transaction: Transaction, monitor: Monitor) => Promise<void>,
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const monitor = isId(id) ? await this.monitors.lock(transaction, accountId, id) : null;
      if (!monitor) throw noMonitor();
      await work(transaction, monitor);
    });
  }
}

/** The error for an unknown id, and for that of another account's monitor. */
export function noMonitor(): AppError {
  return new AppError('not_found', { detail: 'There is no monitor with this id.' });
}

function toChange(monitor: Monitor, request: MonitorChangeRequest, now: Date): MonitorChange {
  const { name, alert, keep, pauseAfterFailures: limit, webhookUrl } = request;
  return {
    ...(name !== undefined && { name }),
    ...(alert && { alert: { ...monitor.alert, ...alert } }),
    ...(keep && { keep: { ...monitor.keep, ...keep } }),
    ...(limit !== undefined && { pauseAfterFailures: limit === 0 ? null : limit }),
    ...(webhookUrl !== undefined && { webhookUrl }),
    ...(request.target && targetColumns(request.target)),
    ...(request.schedule && timesOf(monitor, request, now)),
  };
}

function targetColumns(target: MonitorTarget): MonitorChange {
  return { isBatch: target.isBatch, host: hostOf(target) };
}

/** A new schedule begins now, whatever the old one had planned. */
function timesOf(monitor: Monitor, { schedule, target }: MonitorChangeRequest, now: Date): MonitorChange {
  if (!schedule) return {};
  const columns = columnsOfSchedule(schedule);
  const host = target ? hostOf(target) : monitor.host;
  const nextDueAt = firstInstant(schedule, now);
  return { ...columns, nextDueAt, nextRunAt: runAtOf({ id: monitor.id, host, ...columns }, nextDueAt) };
}
