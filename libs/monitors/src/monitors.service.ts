import { Injectable } from '@nestjs/common';
import { lockForAccount, type Transaction } from '@app/database';
import {
  AcceptanceTransactionService,
  assertSameRequest,
  IdempotencyKeyRepository,
  subjectIsGone,
} from '@app/jobs';
import { newId } from '@app/kernel';
import { AccountLimitsService, assertBelow } from '@app/usage';
import { columnsOfSchedule } from './monitor-schedule.js';
import type { MonitorRequest } from './monitor-request.js';
import { MonitorRepository, type NewMonitor } from './monitor.repository.js';
import { hostOf, PageFactory } from './page.factory.js';
import { ReceiversService } from './receivers.service.js';
import { firstInstant } from './schedule/schedule.js';
import { runAtOf } from './scheduling/scheduler.service.js';

/** A monitor that a request made, or that an earlier one with the same Idempotency-Key has made. */
export interface AcceptedMonitor {
  readonly id: string;
  readonly replayed: boolean;
}

/** Makes monitors. */
@Injectable()
export class MonitorsService {
  constructor(
    private readonly transactions: AcceptanceTransactionService,
    private readonly keys: IdempotencyKeyRepository,
    private readonly monitors: MonitorRepository,
    private readonly pages: PageFactory,
    private readonly receivers: ReceiversService,
    private readonly limits: AccountLimitsService,
  ) {}

  /**
   * @throws AppError `target_forbidden`, `limit_reached`, `account_paused`, `idempotency_mismatch`, `idempotency_in_flight`, and `result_expired` for a
   * repeated request whose monitor is deleted
   */
  async create(request: MonitorRequest): Promise<AcceptedMonitor> {
    const { accountId, idempotency } = request;
    const id = newId();
    const pages = await this.pages.makeAll({ id, accountId }, request.target);
    return this.transactions.forOneRequest(idempotency, async (transaction) => {
      const key = idempotency && { ...idempotency, accountId, subjectId: id };
      const [earlier] = key ? await this.keys.claim(transaction, [key]) : [];
      if (earlier) {
        assertSameRequest(earlier, idempotency?.fingerprint);
        if (!(await this.monitors.find(accountId, earlier.subjectId))) throw subjectIsGone();
        return { id: earlier.subjectId, replayed: true };
      }
      await this.assertRoom(transaction, accountId);
      const now = await this.monitors.now(transaction);
      const receivers = this.receivers.columnsOf(id, request.receivers);
      await this.monitors.add(transaction, { ...toMonitor(id, request, now), ...receivers }, pages);
      return { id, replayed: false };
    });
  }

  private async assertRoom(transaction: Transaction, accountId: string): Promise<void> {
    // Two requests at once would both find the last place free.
    await lockForAccount(transaction, 'monitors', accountId);
    const { maxMonitors } = await this.limits.forNewWork(accountId, transaction);
    assertBelow(maxMonitors, await this.monitors.count(transaction, accountId), 'monitors');
  }
}

function toMonitor(id: string, request: MonitorRequest, now: Date): Omit<NewMonitor, 'notify' | 'receivers'> {
  const { accountId, schedule, target, alert, keep, pauseAfterFailures, webhookUrl = null } = request;
  const host = hostOf(target);
  const columns = columnsOfSchedule(schedule);
  const nextDueAt = firstInstant(schedule, now);
  // The first instant of a period is the request itself, which waits for nobody.
  const nextRunAt = 'everyS' in schedule ? nextDueAt : runAtOf({ id, host, ...columns }, nextDueAt);
  return {
    id,
    accountId,
    host,
    alert,
    keep,
    webhookUrl,
    nextDueAt,
    nextRunAt,
    ...columns,
    name: request.name ?? host ?? 'monitor',
    isBatch: target.isBatch,
    pauseAfterFailures: pauseAfterFailures === 0 ? null : pauseAfterFailures,
  };
}
