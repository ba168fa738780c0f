import { queueTimesOf, type Job, type ReportPhase } from '@app/jobs';
import type { Phase } from '@app/kernel';
import { inSpan, openSpan, type OpenSpan } from '@app/tracing';
import { CaptureStoppedError } from './running-captures.service.js';

/** The steps of an attempt that have a span; `finish` is the transaction that ends it. */
type Step = Exclude<Phase, 'queue'> | 'finish';

/** The spans of an attempt: one for all of it, and below it one for each step, of which one is open at a time. */
export class AttemptTrace {
  private step: OpenSpan = openSpan('capture.prepare');

  private constructor(private readonly whole: OpenSpan) {}

  /**
   * Runs the attempt of a claimed job in a span of its job's trace.
   *
   * @param claimedFrom when the claim began, in ms since the epoch
   */
  static async runTraced(
    job: Job,
    claimedFrom: number,
    work: (trace: AttemptTrace) => Promise<void>,
  ): Promise<void> {
    const { traceContext: parent } = job;
    const { waitedMs, dispatchedAfterMs } = queueTimesOf(job);
    const queued = { parent, startedAt: claimedFrom - waitedMs };
    openSpan('capture.queue', { ...queued, facts: { 'capture.dispatched_after_ms': dispatchedAfterMs } }).end(
      claimedFrom,
    );
    const facts = {
      'capture.id': job.id,
      'capture.attempt': job.attempt,
      'capture.source': job.source,
      'capture.format': job.format,
      'capture.target.host': job.host,
      'capture.batch.id': job.batchId,
    };
    const options = { kind: 'consumer', parent, startedAt: claimedFrom, facts } as const;
    await inSpan('capture.attempt', options, async (whole) => {
      openSpan('capture.claim', { startedAt: claimedFrom }).end();
      const trace = new AttemptTrace(whole);
      try {
        await work(trace);
      } finally {
        trace.step.end();
      }
    });
  }

  /** Ends the open step and begins the next one. */
  enter(step: Step): void {
    this.step.end();
    this.step = this.whole.run(() => openSpan(`capture.${step}`));
  }

  /** Also opens the span of each phase that is reported. */
  reporting(report: ReportPhase): ReportPhase {
    return (phase) => {
      if (phase !== 'queue') this.enter(phase);
      report(phase);
    };
  }

  /** Notes what ended the open step, before the end itself is stored. */
  fail(error: unknown): void {
    for (const span of [this.step, this.whole]) {
      if (error instanceof CaptureStoppedError) span.failWith(error.reason, false);
      else span.fail(error);
    }
    this.enter('finish');
  }
}
