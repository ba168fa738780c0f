import { Injectable } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import type { PageRequest } from '@app/jobs';
import { isId } from '@app/kernel';
import { WebhooksService } from '@app/webhooks';
import { CheckRepository } from './check.repository.js';
import { noMonitor } from './monitor-lock.service.js';
import type { Monitor } from './monitor.entity.js';
import { toCheckRecord, toMonitorRecord, type CheckRecord, type MonitorRecord } from './monitor-record.js';
import { MonitorRepository } from './monitor.repository.js';
import type { CheckOutcome, MonitorState } from './monitor-state.js';

/** A page of a list, as callers see it. */
export interface RecordPage<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

/** Shows monitors and their checks, and deletes them. */
@Injectable()
export class MonitorRecordsService {
  constructor(
    private readonly monitors: MonitorRepository,
    private readonly checks: CheckRepository,
    private readonly database: DatabaseService,
    private readonly webhooks: WebhooksService,
  ) {}

  /** @throws AppError `not_found` */
  async show(accountId: string, id: string): Promise<MonitorRecord> {
    const [record] = await this.recordsOf([await this.find(accountId, id)]);
    if (!record) throw noMonitor();
    return record;
  }

  async list(
    accountId: string,
    filter: { readonly state?: MonitorState | undefined },
    page: PageRequest,
  ): Promise<RecordPage<MonitorRecord>> {
    const { items, nextCursor } = await this.monitors.list(accountId, filter, page);
    return { items: await this.recordsOf(items), next_cursor: nextCursor };
  }

  /** @throws AppError `not_found` */
  async listChecks(
    { accountId, id }: { readonly accountId: string; readonly id: string },
    filter: { readonly outcome?: CheckOutcome | undefined },
    page: PageRequest,
  ): Promise<RecordPage<CheckRecord>> {
    await this.find(accountId, id);
    const { items, nextCursor } = await this.checks.list(id, filter, page);
    return { items: items.map(toCheckRecord), next_cursor: nextCursor };
  }

  /**
   * Deletes the monitor and its checks. Captures that are in progress end as any other, and all keep their records.
   *
   * @throws AppError `not_found`
   */
  async remove(accountId: string, id: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const removed = isId(id) && (await this.monitors.remove(transaction, accountId, id));
      if (!removed) throw noMonitor();
      await this.webhooks.forget(transaction, [id]);
    });
  }

  private async find(accountId: string, id: string): Promise<Monitor> {
    const monitor = isId(id) ? await this.monitors.find(accountId, id) : null;
    if (!monitor) throw noMonitor();
    return monitor;
  }

  private async recordsOf(monitors: readonly Monitor[]): Promise<MonitorRecord[]> {
    const ids = monitors.map(({ id }) => id);
    const pages = await this.monitors.listPages(ids);
    const latest = await this.checks.listLatest(ids);
    return monitors.map((monitor) =>
      toMonitorRecord(monitor, { pages: pages.get(monitor.id) ?? [], last: latest.get(monitor.id) }),
    );
  }
}
