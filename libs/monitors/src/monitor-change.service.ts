import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { isId } from '@app/kernel';
import type { Monitor } from './monitor.entity.js';
import { MonitorLockService } from './monitor-lock.service.js';
import { columnsOfSchedule } from './monitor-schedule.js';
import type { MonitorChangeRequest, MonitorTarget } from './monitor-request.js';
import { MonitorRepository, type MonitorChange, type NewPage } from './monitor.repository.js';
import { hostOf, PageFactory } from './page.factory.js';
import { ReceiversService } from './receivers.service.js';
import { firstInstant } from './schedule/schedule.js';
import { runAtOf } from './scheduling/scheduler.service.js';

/** Changes what monitors watch, when, and whom they tell. */
@Injectable()
export class MonitorChangeService {
  constructor(
    private readonly locks: MonitorLockService,
    private readonly monitors: MonitorRepository,
    private readonly pages: PageFactory,
    private readonly receivers: ReceiversService,
  ) {}

  /** @throws AppError `not_found`, `target_forbidden` */
  async change(accountId: string, id: string, request: MonitorChangeRequest): Promise<void> {
    const { target, receivers } = request;
    const pages = target && isId(id) ? await this.pages.makeAll({ id, accountId }, target) : null;
    await this.locks.withLocked(accountId, id, async (transaction, monitor) => {
      const now = await this.monitors.now(transaction);
      if (pages) await this.replacePages(transaction, id, pages);
      await this.monitors.change(transaction, id, {
        ...toChange(monitor, request, now),
        ...(receivers && this.receivers.columnsOf(id, receivers)),
      });
    });
  }

  private async replacePages(transaction: Transaction, id: string, pages: readonly NewPage[]): Promise<void> {
    await this.monitors.removePages(transaction, id);
    await this.monitors.addPages(transaction, pages);
  }
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
