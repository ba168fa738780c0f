import { Injectable } from '@nestjs/common';
import { Env } from '@app/config';
import type { Transaction } from '@app/database';
import { ResultLifeRepository, type Job } from '@app/jobs';
import type { ErrorBody } from '@app/kernel';
import type { MonitorCheck } from '../monitor-check.entity.js';
import type { MonitorPage } from '../monitor-page.entity.js';
import type { Monitor } from '../monitor.entity.js';
import type { CheckOutcome, CheckReason, PauseReason } from '../monitor-state.js';
import { MonitorAnnouncerService } from './monitor-announcer.service.js';
import { SettlementRepository } from './settlement.repository.js';

/** The end of a check of a locked monitor. A page has one open check at a time. */
export interface Settled {
  readonly monitor: Monitor;
  readonly page: MonitorPage;
  readonly checkId: string;
  readonly outcome: CheckOutcome;
  readonly reason: CheckReason | null;
  /** Its latest capture, when it has one that says something. */
  readonly job?: Job | null;
  readonly error?: ErrorBody;
  readonly becomesBaseline?: boolean;
}

interface Ended {
  readonly settled: Settled;
  readonly check: MonitorCheck;
  /** Failures in a row before this check. */
  readonly failuresBefore: number;
}

/**
 * Ends checks: the outcome, the baseline, the failures in a row, what the monitor does about them, the events and the life of the
 * files change in one transaction, so that each event is written once.
 */
@Injectable()
export class SettlementService {
  constructor(
    private readonly repository: SettlementRepository,
    private readonly announcer: MonitorAnnouncerService,
    private readonly files: ResultLifeRepository,
    private readonly env: Env,
  ) {}

  async settle(transaction: Transaction, all: readonly Settled[]): Promise<void> {
    const checks = await this.repository.endChecks(transaction, all.map(toEnd));
    const ended = all.flatMap((settled) => {
      const check = checks.get(settled.checkId);
      return check ? [{ settled, check, failuresBefore: settled.page.failures }] : [];
    });
    for (const { settled } of ended) updatePage(settled);
    await this.repository.updatePages(
      transaction,
      ended.map(({ settled: { page } }) => page),
    );
    for (const one of ended) await this.react(transaction, one);
    await this.keepFiles(transaction, ended);
  }

  /** Pauses a monitor for this reason, with its event, unless it is paused already. */
  async pause(
    transaction: Transaction,
    monitor: Monitor,
    { reason, check }: { readonly reason: PauseReason; readonly check: MonitorCheck | null },
  ): Promise<boolean> {
    if (!(await this.repository.pause(transaction, monitor, reason))) return false;
    Object.assign(monitor, { state: 'paused', pauseReason: reason });
    await this.announcer.announce(transaction, monitor, { type: 'paused', check });
    return true;
  }

  private async react(transaction: Transaction, { settled, check, failuresBefore }: Ended): Promise<void> {
    const { monitor, page, outcome, reason } = settled;
    if (outcome === 'changed')
      await this.announcer.announce(transaction, monitor, { type: 'changed', check });
    if (outcome === 'failed' && failuresBefore === 0) {
      await this.announcer.announce(transaction, monitor, { type: 'failed', check });
    }
    if (failuresBefore > 0 && page.failures === 0) {
      await this.announcer.announce(transaction, monitor, { type: 'recovered', check });
    }
    if (reason === 'allowance') await this.pause(transaction, monitor, { reason: 'allowance', check });
    const { pauseAfterFailures: limit } = monitor;
    const mayPause = outcome === 'failed' && limit !== null && page.failures >= limit;
    if (mayPause && (await this.repository.hasFailedForGood(transaction, monitor))) {
      await this.pause(transaction, monitor, { reason: 'failures', check });
    }
  }

  /** Changes and what is compared with stay as long as their records; files that are not to be kept expire now. */
  private async keepFiles(transaction: Transaction, ended: readonly Ended[]): Promise<void> {
    const kept = ended.flatMap(({ settled: { outcome, becomesBaseline }, check: { jobId } }) =>
      jobId !== null && (outcome === 'changed' || becomesBaseline === true) ? [jobId] : [],
    );
    if (kept.length > 0) await this.files.extend(transaction, kept, this.env.RECORD_TTL_S);
    const captured = ended.filter(({ check }) => check.captureIds.length > 0);
    if (captured.length === 0) return;
    const released = await this.repository.releaseFiles(
      transaction,
      captured.map(({ settled: { page } }) => page),
    );
    if (released.length > 0) await this.files.end(transaction, released);
  }
}

function toEnd({ checkId: id, outcome, reason, job, error }: Settled) {
  return { id, outcome, reason, change: job?.change ?? null, error: error ?? null };
}

function updatePage({ page, outcome, job, becomesBaseline = false }: Settled): void {
  if (becomesBaseline && job) page.baselineId = job.id;
  if (outcome === 'failed') page.failures += 1;
  if (outcome === 'same' || outcome === 'changed') page.failures = 0;
}
