import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull } from 'typeorm';
import type { Transaction } from '@app/database';
import type { PictureBox } from '@app/capture';
import { hasEnded } from '@app/jobs';
import { Monitor } from '../monitor.entity.js';
import { MonitorCheck } from '../monitor-check.entity.js';
import { MonitorPage } from '../monitor-page.entity.js';
import type { PageHistory } from './decision.js';
import { NOISE_CHECKS } from './learnt-noise.js';

/** The checks without an outcome. */
@Injectable()
export class OpenCheckRepository {
  constructor(private readonly source: DataSource) {}

  /** The ids of the monitors of some checks whose latest capture has ended. Reads each open check and its job, by index. */
  async listEnded(limit: number): Promise<string[]> {
    const rows = await this.source.query<{ id: string }[]>(
      `SELECT DISTINCT monitor_id AS id FROM (
         SELECT monitor_id FROM monitor_checks
          WHERE outcome IS NULL AND ${hasEnded('monitor_checks.job_id')} LIMIT $1) AS ended`,
      [limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Locks those of these monitors that no other process has locked. */
  lockMonitors(transaction: Transaction, ids: readonly string[]): Promise<Monitor[]> {
    return transaction.getRepository(Monitor).find({
      where: { id: In([...ids]) },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
    });
  }

  /** @param monitorIds that the transaction has locked */
  listOpen(transaction: Transaction, monitorIds: readonly string[]): Promise<MonitorCheck[]> {
    return transaction
      .getRepository(MonitorCheck)
      .findBy({ monitorId: In([...monitorIds]), outcome: IsNull() });
  }

  listPages(transaction: Transaction, monitorIds: readonly string[]): Promise<MonitorPage[]> {
    return transaction.getRepository(MonitorPage).findBy({ monitorId: In([...monitorIds]) });
  }

  /** What the last checks that captured a page say about it. */
  async historyOf(
    transaction: Transaction,
    { monitorId, page }: Pick<MonitorPage, 'monitorId' | 'page'>,
  ): Promise<PageHistory> {
    const rows = await transaction.query<{ noise: PictureBox[] | null }[]>(
      `SELECT change -> 'noise' AS noise FROM monitor_checks
        WHERE monitor_id = $1 AND page = $2 AND outcome IS NOT NULL AND capture_ids <> '{}'
        ORDER BY due_at DESC LIMIT ${NOISE_CHECKS}`,
      [monitorId, page],
    );
    return { checks: rows.length, noise: rows.flatMap(({ noise }) => noise ?? []) };
  }

  /** The check goes on with another capture, unless it has ended. */
  async goOn(transaction: Transaction, { id }: Pick<MonitorCheck, 'id'>, jobId: string): Promise<void> {
    await transaction.query(
      `UPDATE monitor_checks SET job_id = $2, capture_ids = capture_ids || $2::uuid WHERE id = $1 AND outcome IS NULL`,
      [id, jobId],
    );
  }
}
