import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { NoticesService, WebhooksService, type Quoting } from '@app/webhooks';
import { toCheckRecord, toMonitorSummary } from '../monitor-record.js';
import type { MonitorCheck } from '../monitor-check.entity.js';
import type { Monitor } from '../monitor.entity.js';
import type { AlertKind } from '../monitor-state.js';
import { ReceiversService } from '../receivers.service.js';
import { ChangeLinksService } from './change-links.service.js';
import { noticeOf, type EventData } from './monitor-notice.js';

/** An event of a monitor, and the check that it comes from. */
export interface MonitorEvent {
  readonly type: AlertKind | 'paused';
  readonly check: MonitorCheck | null;
}

/** Writes the events of monitors into the outbox: for programs, and in words for people. */
@Injectable()
export class MonitorAnnouncerService {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly notices: NoticesService,
    private readonly receivers: ReceiversService,
    private readonly links: ChangeLinksService,
  ) {}

  /** Does nothing without a receiver, and for events that the monitor was not asked for. A pause is always told. */
  async announce(transaction: Transaction, monitor: Monitor, { type, check }: MonitorEvent): Promise<void> {
    const { id: subjectId, accountId, webhookUrl: url, alert } = monitor;
    const isSilent = url === null && monitor.receivers === null;
    if (isSilent || (type !== 'paused' && !alert.on.includes(type))) return;
    const record = check && toCheckRecord(check);
    const shown = record && this.links.withLinks(record);
    const data: EventData = {
      monitor: toMonitorSummary(monitor),
      check: shown?.check ?? null,
      pictures: shown?.pictures ?? null,
    };
    const event = { accountId, subjectId, type: `monitor.${type}` };
    const quoting = quotingOf(data);
    if (url !== null) await this.webhooks.announce(transaction, { ...event, url, data, quoting });
    await this.notices.announce(transaction, this.receivers.open(monitor), {
      ...event,
      notice: noticeOf(type, data),
      quoting: quoting && { ...quoting, unquoted: noticeOf(type, quoting.unquoted) },
    });
  }
}

/** Undefined for an event that has no words of a page. */
function quotingOf(data: EventData): Quoting<EventData> | undefined {
  const { check } = data;
  const { change, capture_ids: ids = [] } = check ?? {};
  if (!check || !change || (change.lines.length === 0 && change.summary === null)) return undefined;
  return {
    captureIds: [...ids, change.compared_with],
    unquoted: { ...data, check: { ...check, change: { ...change, lines: [], summary: null } } },
  };
}
