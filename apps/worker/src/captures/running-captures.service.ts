import { setTimeout as sleep } from 'node:timers/promises';
import {
  Injectable,
  Logger,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { Env } from '@app/config';
import { AppError } from '@app/kernel';
import { AttemptsService, JobSignalsService, LEASE_RENEWAL_MS, type Attempt, type Job } from '@app/jobs';
import { WorkerIdentity } from '../worker-identity.js';

/** Behind the signals: what was missed is found at the latest after this. A cancel stops the page within 2 s. */
const POLL_MS = 1_000;
const STOPPED_POLL_MS = 20;

/** Why a capture is stopped although its page did nothing wrong; `lost`: it is canceled, or another worker's. */
export type StopReason = 'canceled' | 'lost' | 'shutdown';

/** Thrown through the engine to end a capture; no verdict on the job. */
export class CaptureStopped extends AppError {
  constructor(readonly reason: StopReason) {
    super('unavailable', { detail: `The capture was stopped: ${reason}.` });
  }
}

interface Running extends Attempt {
  readonly controller: AbortController;
}

/**
 * The captures that run in this process: keeps their leases and stops those that are no longer wanted or ours, and all
 * of them when the worker shuts down and the grace is over.
 */
@Injectable()
export class RunningCapturesService implements OnModuleInit, OnModuleDestroy, OnApplicationShutdown {
  private readonly logger = new Logger(RunningCapturesService.name);
  // Not by id: a job whose lease was lost for a while may run here twice, the first time in vain.
  private readonly running = new Set<Running>();
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly attempts: AttemptsService,
    private readonly signals: JobSignalsService,
    private readonly worker: WorkerIdentity,
    private readonly env: Env,
  ) {}

  onModuleInit(): void {
    this.signals.on('canceled', (jobId) => {
      this.stop('canceled', ({ id }) => id === jobId);
    });
    this.every(LEASE_RENEWAL_MS, (ids) => this.attempts.renew(this.worker.id, ids));
    this.every(POLL_MS, (ids) => this.attempts.listRunning(this.worker.id, ids));
  }

  onModuleDestroy(): void {
    const grace = setTimeout(() => {
      this.stop('shutdown', () => true);
    }, this.env.SHUTDOWN_GRACE_MS);
    this.timers.push(grace.unref());
  }

  onApplicationShutdown(): void {
    for (const timer of this.timers) clearTimeout(timer);
  }

  /** Makes the job this worker's; null when it is not to be run, or is another worker's. */
  claim(jobId: string): Promise<Job | null> {
    return this.attempts.claim(jobId, this.worker.id);
  }

  /** Runs `work` with a signal that aborts when the attempt is to be stopped. */
  async keep<T>({ id, attempt }: Attempt, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const running = { id, attempt, controller: new AbortController() };
    this.running.add(running);
    try {
      return await work(running.controller.signal);
    } finally {
      this.running.delete(running);
    }
  }

  /** Stops all captures at once and gives them back; resolves when all have been. */
  async stopAll(): Promise<void> {
    this.stop('shutdown', () => true);
    while (this.running.size > 0) await sleep(STOPPED_POLL_MS);
  }

  private stop(reason: StopReason, which: (running: Running) => boolean): void {
    for (const running of this.running)
      if (which(running)) running.controller.abort(new CaptureStopped(reason));
  }

  /** Asks again and again which of the jobs still are ours, and stops the others. */
  private every(ms: number, ask: (ids: string[]) => Promise<Attempt[]>): void {
    const timer = setInterval(() => {
      const asked = [...this.running];
      if (asked.length === 0) return;
      ask(asked.map(({ id }) => id)).then(
        (ours) => {
          this.stop(
            'lost',
            (running) => asked.includes(running) && !ours.some((each) => isSame(each, running)),
          );
        },
        (err: unknown) => {
          this.logger.warn({ err }, 'the database did not say which captures still are ours');
        },
      );
    }, ms);
    this.timers.push(timer);
  }
}

function isSame(one: Attempt, other: Attempt): boolean {
  return one.id === other.id && one.attempt === other.attempt;
}
