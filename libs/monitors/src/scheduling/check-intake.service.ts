import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { IntakeService, type NewJob } from '@app/jobs';
import { AppError, newId, type ErrorBody } from '@app/kernel';
import { CheckRepository, type NewCheck } from '../check.repository.js';
import { MonitorCaptureFactory } from '../monitor-capture.factory.js';
import type { MonitorPage } from '../monitor-page.entity.js';
import type { Monitor } from '../monitor.entity.js';
import { SettlementService, type Settled } from '../outcomes/settlement.service.js';
import type { CheckReason, Trigger } from '../monitor-state.js';

/** An instant of a monitor that is locked. */
export interface Instant {
  readonly monitor: Monitor;
  readonly pages: readonly MonitorPage[];
  readonly dueAt: Date;
  readonly missed: number;
  readonly trigger: Trigger;
  /** Why no page is captured; null when they are. */
  readonly skipped: CheckReason | null;
}

type Outcome = Awaited<ReturnType<IntakeService['accept']>>[number];

/** One page of an instant. */
interface Planned {
  readonly instant: Instant;
  readonly page: MonitorPage;
  readonly check: NewCheck;
  readonly job?: NewJob;
  /** Why the page cannot be captured. */
  readonly error?: ErrorBody;
}

/**
 * Stores the checks of instants together with their captures, in the transaction that has locked their monitors: an instant that
 * has a check gets no second capture. It locks monitors, then checks, then what the acceptance of jobs locks.
 */
@Injectable()
export class CheckIntakeService {
  constructor(
    private readonly captures: MonitorCaptureFactory,
    private readonly checks: CheckRepository,
    private readonly intake: IntakeService,
    private readonly settlement: SettlementService,
  ) {}

  /** Prepares `store`, outside of a transaction. */
  refresh(): Promise<void> {
    return this.captures.refresh();
  }

  /** Returns how many captures were made. */
  async store(transaction: Transaction, instants: readonly Instant[]): Promise<number> {
    const planned = instants.flatMap((instant) => instant.pages.map((page) => this.plan(instant, page)));
    const added = await this.checks.add(
      transaction,
      planned.map(({ check }) => check),
    );
    const fresh = planned.filter(({ check }) => added.has(check.id));
    const refused = await this.submit(transaction, fresh);
    const failed = fresh.flatMap((one) => settledAtOnce(one, refused) ?? []);
    if (failed.length > 0) await this.settlement.settle(transaction, failed);
    return fresh.filter(({ job, check }) => job && !refused.has(check.id)).length;
  }

  private plan(instant: Instant, page: MonitorPage): Planned {
    const { monitor, dueAt, missed, trigger, skipped } = instant;
    const { id: monitorId, accountId } = monitor;
    const { url } = page.options;
    const base = {
      id: newId(),
      monitorId,
      accountId,
      page: page.page,
      dueAt,
      missed,
      trigger,
      url: typeof url === 'string' ? url : null,
      jobId: null,
    };
    if (skipped !== null) return { instant, page, check: { ...base, outcome: 'skipped', reason: skipped } };
    const open = { ...base, outcome: null, reason: null };
    try {
      const job = this.captures.make({ page, rules: monitor.alert });
      return { instant, page, job, check: { ...open, jobId: job.id } };
    } catch (error) {
      // A page that cannot be captured costs no other one its check.
      return { instant, page, check: open, error: AppError.from(error).toBody() };
    }
  }

  /** Returns why the account did not accept captures, by the ids of their checks. */
  private async submit(
    transaction: Transaction,
    planned: readonly Planned[],
  ): Promise<ReadonlyMap<string, CheckReason>> {
    const captured = planned.flatMap(({ job, check }) => (job ? [{ job, check }] : []));
    if (captured.length === 0) return new Map();
    const outcomes = await this.intake.accept(
      transaction,
      captured.map(({ job }) => ({ job, idempotency: undefined })),
    );
    return new Map(
      captured.flatMap(({ check }, i) => {
        const outcome = outcomes[i];
        return outcome?.kind === 'stored' ? [] : [[check.id, reasonOf(outcome)] as const];
      }),
    );
  }
}

/** A paused account leaves its monitors as they are; one whose allowance is at its end pauses them. */
function reasonOf(outcome: Outcome | undefined): CheckReason {
  const isPaused = outcome?.kind === 'refused' && outcome.error.code === 'account_paused';
  return isPaused ? 'paused' : 'allowance';
}

/** What ends as soon as it begins, apart from checks that are skipped on purpose. */
function settledAtOnce(
  { instant: { monitor }, page, check: { id: checkId }, error }: Planned,
  refused: ReadonlyMap<string, CheckReason>,
): Settled | undefined {
  const ended = { monitor, page, checkId };
  const reason = refused.get(checkId);
  if (reason !== undefined) return { ...ended, outcome: 'skipped', reason };
  return error && { ...ended, outcome: 'failed', reason: null, error };
}
