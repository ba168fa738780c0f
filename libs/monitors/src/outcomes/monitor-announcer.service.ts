import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { WebhooksService } from '@app/webhooks';
import { toCheckRecord, toMonitorSummary } from '../monitor-record.js';
import type { MonitorCheck } from '../monitor-check.entity.js';
import type { Monitor } from '../monitor.entity.js';
import type { AlertKind } from '../monitor-state.js';

/** An event of a monitor, and the check that it comes from. */
export interface MonitorEvent {
  readonly type: AlertKind | 'paused';
  readonly check: MonitorCheck | null;
}

/** Writes the events of monitors into the outbox of webhooks. */
@Injectable()
export class MonitorAnnouncerService {
  constructor(private readonly webhooks: WebhooksService) {}

  /** Does nothing without a webhook, and for events that the monitor was not asked for. A pause is always told. */
  async announce(transaction: Transaction, monitor: Monitor, { type, check }: MonitorEvent): Promise<void> {
    const { id: subjectId, accountId, webhookUrl: url, alert } = monitor;
    if (url === null || (type !== 'paused' && !alert.on.includes(type))) return;
    const data = { monitor: toMonitorSummary(monitor), check: check && toCheckRecord(check) };
    await this.webhooks.announce(transaction, { accountId, subjectId, url, type: `monitor.${type}`, data });
  }
}
