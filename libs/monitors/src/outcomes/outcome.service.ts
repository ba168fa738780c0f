import { Injectable } from '@nestjs/common';
import { DatabaseService, type Transaction } from '@app/database';
import { EndedJobRepository, IntakeService, type Job } from '@app/jobs';
import { AppError } from '@app/kernel';
import { comparesPictures, MonitorCaptureFactory } from '../monitor-capture.factory.js';
import type { MonitorCheck } from '../monitor-check.entity.js';
import type { MonitorPage } from '../monitor-page.entity.js';
import type { Monitor } from '../monitor.entity.js';
import { decide, type PageHistory } from './decision.js';
import { OpenCheckRepository } from './open-check.repository.js';
import { SettlementService, type Settled } from './settlement.service.js';

/** Checks that one transaction ends. */
const CHUNK = 100;

const NO_HISTORY: PageHistory = { checks: 0, noise: [] };

/** An open check whose latest capture has ended. */
interface EndedCheck {
  readonly monitor: Monitor;
  readonly page: MonitorPage;
  readonly check: MonitorCheck;
  readonly job: Job | null;
}

/**
 * Gives checks their outcomes once their captures have ended. Any number of processes may do so: one that has locked a monitor
 * reads its open checks again, so that each check ends once.
 */
@Injectable()
export class OutcomeService {
  constructor(
    private readonly database: DatabaseService,
    private readonly open: OpenCheckRepository,
    private readonly jobs: EndedJobRepository,
    private readonly captures: MonitorCaptureFactory,
    private readonly intake: IntakeService,
    private readonly settlement: SettlementService,
  ) {}

  /** Ends all checks that can be ended. Returns how many ended or went on. */
  async endAll(signal: AbortSignal): Promise<number> {
    let all = 0;
    let some = -1;
    while (some !== 0 && !signal.aborted) {
      const monitorIds = await this.open.listEnded(CHUNK);
      if (monitorIds.length === 0) return all;
      await this.captures.refresh();
      some = await this.endSome(monitorIds);
      all += some;
    }
    return all;
  }

  private endSome(monitorIds: readonly string[]): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const ended = await this.lockEnded(transaction, monitorIds);
      const settled: Settled[] = [];
      for (const one of ended) {
        const { monitor, page, check, job } = one;
        const { alert: rules } = monitor;
        const captures = check.captureIds.length;
        // Only a change that is about to be reported costs the look at earlier checks.
        const { baselineId, options } = page;
        const isConfirmed = baselineId !== null && captures > 1 && job?.change?.changed === true;
        const history = isConfirmed ? await this.open.historyOf(transaction, page) : NO_HISTORY;
        const isPicture = comparesPictures(options);
        const decision = decide({ rules, baselineId, captures, job, history, isPicture });
        if (decision.kind === 'ends') settled.push({ monitor, page, checkId: check.id, job, ...decision });
        else settled.push(...(await this.confirm(transaction, one)));
      }
      await this.settlement.settle(transaction, settled);
      return ended.length;
    });
  }

  private async lockEnded(transaction: Transaction, monitorIds: readonly string[]): Promise<EndedCheck[]> {
    const monitors = await this.open.lockMonitors(transaction, monitorIds);
    if (monitors.length === 0) return [];
    const ids = monitors.map(({ id }) => id);
    const checks = await this.open.listOpen(transaction, ids);
    const pages = await this.open.listPages(transaction, ids);
    const jobs = await this.jobs.list(
      transaction,
      checks.flatMap(({ jobId }) => jobId ?? []),
    );
    const jobOf = new Map(jobs.map((job) => [job.id, job]));
    return checks.flatMap((check) => {
      const monitor = monitors.find(({ id }) => id === check.monitorId);
      const page = pages.find((each) => each.monitorId === check.monitorId && each.page === check.page);
      const job = jobOf.get(check.jobId ?? '') ?? null;
      const isOver = job?.finishedAt !== null;
      return monitor && page && isOver ? [{ monitor, page, check, job }] : [];
    });
  }

  /** Captures the page again. Returns the end of the check when that cannot be done. */
  private async confirm(
    transaction: Transaction,
    { monitor, page, check, job }: EndedCheck,
  ): Promise<Settled[]> {
    const ended = { monitor, page, checkId: check.id };
    try {
      const capture = { page, rules: monitor.alert, confirms: job?.id ?? '' };
      const again = this.captures.make(capture);
      const [outcome] = await this.intake.accept(transaction, [{ job: again, idempotency: undefined }]);
      if (outcome?.kind !== 'stored') return [{ ...ended, outcome: 'skipped', reason: 'allowance' }];
      await this.open.goOn(transaction, check, again.id);
      return [];
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return [{ ...ended, outcome: 'failed', reason: null, error: error.toBody() }];
    }
  }
}
