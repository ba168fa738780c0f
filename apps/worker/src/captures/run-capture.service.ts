import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { FORMATS, type Captured, type CaptureTraffic } from '@app/capture';
import { CaptureEngine } from '@app/capture/engine';
import { Env } from '@app/config';
import { AppError } from '@app/kernel';
import { Attempts, type Job, type StoredFile } from '@app/jobs';
import { Storage } from '@app/storage';
import { WorkerIdentity } from '../worker-identity.js';
import { CaptureStopped, RunningCaptures } from './running-captures.js';

/** `done`: the queue may forget the entry. `again`: the job is queued again and wants another run. */
export type RunOutcome = 'done' | 'again';

/** For the log: whether it was still ours to finish, and what it exchanged with the network. */
type Ending = CaptureTraffic & { readonly finished: boolean };

/** One capture, as the worker runs it: claim, capture, store, finish. */
@Injectable()
export class RunCapture {
  private readonly logger = new Logger(RunCapture.name);

  constructor(
    private readonly attempts: Attempts,
    private readonly running: RunningCaptures,
    private readonly engine: CaptureEngine,
    private readonly storage: Storage,
    private readonly worker: WorkerIdentity,
    private readonly env: Env,
  ) {}

  /** Never rejects for a fault of the page; rejects when the database is away, and then the queue asks again. */
  async run(jobId: string): Promise<RunOutcome> {
    const job = await this.attempts.claim(jobId, this.worker.id);
    // Final, or another worker's. Should that worker die, the reconciler adds the job again.
    if (!job) return 'done';
    const started = performance.now();
    try {
      const ending = await this.running.keep(jobId, (signal) => this.capture(job, started, signal));
      this.logger.log({ job_id: jobId, attempt: job.attempt, ...ending }, 'capture succeeded');
      return 'done';
    } catch (error) {
      return this.conclude(job, error);
    }
  }

  /** Stops what is still running when the grace is over; it goes back to the queue. */
  drain(): void {
    setTimeout(() => {
      this.running.stopAll('shutdown');
    }, this.env.SHUTDOWN_GRACE_MS).unref();
  }

  private async capture(job: Job, started: number, signal: AbortSignal): Promise<Ending> {
    const options = this.attempts.optionsOf(job);
    const captured = await this.engine.capture(options, signal);
    const storing = performance.now();
    const file = await this.store(job, captured);
    const finished = performance.now();
    const queueMs = since(job.createdAt, job.startedAt);
    const kept = await this.attempts.succeed(job, {
      facts: captured.facts,
      file,
      timings: {
        queue_ms: queueMs,
        ...captured.timings,
        store_ms: Math.round(finished - storing),
        total_ms: queueMs + Math.round(finished - started),
      },
      ttlS: options.expires_in_s ?? this.env.RESULT_TTL_S,
    });
    if (!kept) await this.storage.delete(file.resultKey);
    return { finished: kept, ...captured.traffic };
  }

  /** A key of its own for each attempt: one that lost its lease can never overwrite the file of the one that won. */
  private async store(job: Job, { format, bytes }: Captured): Promise<StoredFile> {
    const { contentType, extension } = FORMATS[format];
    const resultKey = `captures/${job.id}/${job.attempt}.${extension}`;
    await this.storage.put(resultKey, bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { resultKey, contentType, bytes: bytes.byteLength, sha256 };
  }

  private async conclude(job: Job, thrown: unknown): Promise<RunOutcome> {
    if (thrown instanceof CaptureStopped) {
      this.logger.log({ job_id: job.id, reason: thrown.reason }, 'capture stopped');
      return thrown.reason === 'shutdown' && (await this.attempts.handBack(job)) === 'again'
        ? 'again'
        : 'done';
    }
    const error = AppError.from(thrown);
    const outcome = await this.attempts.fail(job, error);
    const line = { job_id: job.id, attempt: job.attempt, code: error.code, outcome };
    // The target's fault needs no stack of ours; it is in the record.
    if (error.status < 500) this.logger.log(line, 'capture failed');
    else this.logger.warn({ ...line, err: error.facts.cause ?? error }, 'capture failed');
    return outcome === 'again' ? 'again' : 'done';
  }
}

/** Time in ms between two readings of the database's clock. */
function since(from: Date, to: Date | null): number {
  return to ? Math.max(0, to.getTime() - from.getTime()) : 0;
}
