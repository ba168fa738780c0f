import { Injectable, Logger } from '@nestjs/common';
import {
  CaptureFailure,
  NO_FACTS,
  withoutFile,
  type CaptureTimings,
  type CaptureTraffic,
  type EngineTimings,
  type PartialCapture,
} from '@app/capture';
import { AppError } from '@app/kernel';
import { AttemptsService, type Failure, type Job, type ReportPhase } from '@app/jobs';
import { CaptureMetrics } from '../metrics/capture.metrics.js';
import { AttemptTrace } from './attempt-trace.js';
import { CaptureFilesService } from './capture-files.service.js';
import { JobCaptureService } from './job-capture.service.js';
import { retryDuringOutage, OutageTooLongError } from './retry-during-outage.js';
import { CaptureStoppedError, RunningCapturesService } from './running-captures.service.js';
import { StoreWatchService } from './store-watch.service.js';

/** The result for the log: whether the job was still this attempt's, and its traffic. */
type CaptureResult = CaptureTraffic & { readonly finished: boolean };

/** How an attempt is stopped, and how it says what it does. */
interface Reporting {
  readonly signal: AbortSignal;
  readonly report: ReportPhase;
  readonly trace: AttemptTrace;
}

/** Runs a capture: it claims the job, captures the page, stores the files and ends the attempt. */
@Injectable()
export class CaptureRunnerService {
  private readonly logger = new Logger(CaptureRunnerService.name);

  constructor(
    private readonly attempts: AttemptsService,
    private readonly running: RunningCapturesService,
    private readonly captures: JobCaptureService,
    private readonly files: CaptureFilesService,
    private readonly store: StoreWatchService,
    private readonly metrics: CaptureMetrics,
  ) {}

  /**
   * Rejects only when the job could not be claimed; it is unchanged then, and its entry goes back to the queue.
   *
   * @param onClaimed called when the row says that the job runs, or that it is not to be run
   */
  async run(jobId: string, onClaimed: () => void): Promise<void> {
    const claimedFrom = Date.now();
    const job = await this.running.claim(jobId);
    onClaimed();
    // The job is final, or another worker runs it. If that worker dies, the reconciler adds the job again.
    if (!job) return;
    this.metrics.started(job);
    await AttemptTrace.runTraced(job, claimedFrom, (trace) =>
      this.running.keep(job, (signal, report) =>
        this.attempt(job, { signal, report: trace.reporting(report), trace }),
      ),
    );
  }

  private async attempt(job: Job, reporting: Reporting): Promise<void> {
    const log = logFieldsOf(job);
    const started = performance.now();
    try {
      const result = await this.capture(job, started, reporting);
      this.logger.log({ ...log, ...result }, 'capture succeeded');
    } catch (error) {
      reporting.trace.fail(error);
      const { facts, timings, picture } = partialOf(error);
      const stored = await this.files.storeFailure(job, picture);
      const known = { facts, timings: timingsOf(job, started, timings), picture: stored };
      this.metrics.blocked(facts.blocked);
      await this.finalize(job, error, known).catch((err: unknown) => {
        this.logger.error({ ...log, err }, 'the end of the capture was not stored; its lease will expire');
      });
    }
  }

  private async capture(job: Job, started: number, reporting: Reporting): Promise<CaptureResult> {
    const { signal, report, trace } = reporting;
    const {
      options,
      captured,
      state,
      change,
      files: made,
    } = await this.captures.capture(job, signal, report);
    report('store');
    const storing = performance.now();
    const files = await this.store
      .observe(() => this.files.store(job, made))
      .catch((error: unknown) => {
        const partial = { facts: withoutFile(captured.facts), timings: captured.timings };
        throw new CaptureFailure(AppError.from(error), partial);
      });
    const storeMs = Math.round(performance.now() - storing);
    const timings = timingsOf(job, started, { ...captured.timings, store_ms: storeMs });
    const ttlS = this.files.ttlS(options);
    trace.enter('finish');
    const { facts, textHash } = captured;
    this.metrics.blocked(facts.blocked);
    const kept = await retryDuringOutage(() =>
      this.attempts.succeed(job, { facts, files, change, textHash, timings, ttlS, state }),
    );
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    if (kept) this.metrics.succeeded(job, timings, bytes);
    else this.metrics.stopped('lost');
    await this.deleteUnneededFiles(job, kept ? files[0].key : null);
    return { finished: kept, ...captured.traffic };
  }

  /** Never rejects: the job has ended, and files that stay behind are deleted by the expiry. */
  private async deleteUnneededFiles(job: Job, resultKey: string | null): Promise<void> {
    try {
      if (resultKey === null) await this.files.drop(job);
      else await this.files.dropUnnamed({ ...job, resultKey });
    } catch (error) {
      this.logger.warn(
        { job_id: job.id, err: error },
        'a file that is no longer needed could not be deleted',
      );
    }
  }

  private async finalize(job: Job, thrown: unknown, known: Failure): Promise<void> {
    if (thrown instanceof OutageTooLongError) throw thrown;
    const log = logFieldsOf(job);
    if (thrown instanceof CaptureStoppedError) {
      const { reason } = thrown;
      this.logger.log({ ...log, reason }, 'capture stopped');
      const isHandedBack = reason === 'shutdown' || reason === 'outage' || reason === 'session';
      if (isHandedBack) {
        await retryDuringOutage(() =>
          reason === 'session'
            ? this.attempts.postpone(job, sessionWaitMs(job))
            : this.attempts.handBack(job),
        );
      }
      this.metrics.stopped(isHandedBack ? 'handed_back' : reason);
      return;
    }
    const error = AppError.from(thrown);
    const outcome = await retryDuringOutage(() => this.attempts.fail(job, error, known));
    this.metrics.failed(job, error.code, outcome);
    const line = { ...log, code: error.code, outcome };
    // An error of the target or of the request needs no stack; the record describes it.
    if (!error.isFault) this.logger.log(line, 'capture failed');
    else this.logger.warn({ ...line, err: error.facts.cause ?? error }, 'capture failed');
  }
}

/** The delay until a capture looks again whether its session is ready: short for the first looks, and at most a second. */
function sessionWaitMs({ attempt }: Job): number {
  return Math.min(1_000, 100 * 2 ** Math.min(attempt, 4));
}

/** The fields of every log line about a capture. */
function logFieldsOf({ id, attempt, source, requestId }: Job): object {
  return { job_id: id, attempt, source, request_id: requestId };
}

function partialOf(error: unknown): PartialCapture {
  return error instanceof CaptureFailure ? error.partial : { facts: NO_FACTS, timings: NO_TIMINGS };
}

const NO_TIMINGS: EngineTimings = { prepare_ms: 0, navigate_ms: 0, settle_ms: 0, render_ms: 0 };

/** @param started when this attempt began, by `performance.now()` */
function timingsOf(
  job: Job,
  started: number,
  phases: EngineTimings & Pick<Partial<CaptureTimings>, 'store_ms'>,
): CaptureTimings {
  const queueMs = since(job.createdAt, job.startedAt);
  const total_ms = queueMs + Math.round(performance.now() - started);
  return { queue_ms: queueMs, store_ms: 0, ...phases, total_ms };
}

/** Time in ms between two readings of the database's clock. */
function since(from: Date, to: Date | null): number {
  return to ? Math.max(0, to.getTime() - from.getTime()) : 0;
}
