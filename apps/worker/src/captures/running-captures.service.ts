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
import {
  AttemptsService,
  JobSignalsService,
  LEASE_RENEWAL_MS,
  PhaseReportsService,
  type Attempt,
  type Job,
  type ReportPhase,
} from '@app/jobs';
import { WorkerIdentity } from '../worker-identity.js';

/** How often lost signals are looked for, so that a cancellation stops the page within 2 s in any case. */
const POLL_MS = 1_000;
const STOP_POLL_MS = 20;

/**
 * Why a running capture is stopped. `lost`: its job was canceled or taken by another worker. `outage`: this worker cannot
 * make captures now, as `shutdown`, so that the job is handed back. `session`: the job waits for the log-in of its session, and leaves
 * its slot to others.
 */
export type StopReason = 'canceled' | 'lost' | 'shutdown' | 'outage' | 'session';

/** Ends a capture in the engine; it is not an error of the job. */
export class CaptureStoppedError extends AppError {
  constructor(readonly reason: StopReason) {
    super('unavailable', { detail: `The capture was stopped: ${reason}.` });
  }
}

interface Running extends Attempt {
  readonly controller: AbortController;
}

/**
 * The captures that run in this process. Renews their leases, stops those that are canceled or that another worker has
 * taken, and stops all of them when the worker shuts down and the grace period has passed.
 */
@Injectable()
export class RunningCapturesService implements OnModuleInit, OnModuleDestroy, OnApplicationShutdown {
  private readonly logger = new Logger(RunningCapturesService.name);
  // Not a map by id: a job whose lease was lost for a while may run here twice; the first run then ends without a result.
  private readonly running = new Set<Running>();
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly attempts: AttemptsService,
    private readonly signals: JobSignalsService,
    private readonly phases: PhaseReportsService,
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

  /** Takes the job for this worker; returns null when it is final or another worker runs it. */
  claim(jobId: string): Promise<Job | null> {
    return this.attempts.claim(jobId, this.worker.id);
  }

  /** Runs `work` with a signal that aborts when the attempt has to stop; it reports its phases to callers who watch the job. */
  async keep<T>(
    { id, attempt }: Attempt,
    work: (signal: AbortSignal, report: ReportPhase) => Promise<T>,
  ): Promise<T> {
    const running = { id, attempt, controller: new AbortController() };
    this.running.add(running);
    try {
      return await this.phases.runPhase(running, (report) => work(running.controller.signal, report));
    } finally {
      this.running.delete(running);
    }
  }

  /** Stops all captures at once; resolves when all of them have been handed back. */
  async stopAll(): Promise<void> {
    this.stop('shutdown', () => true);
    while (this.running.size > 0) await sleep(STOP_POLL_MS);
  }

  private stop(reason: StopReason, which: (running: Running) => boolean): void {
    for (const running of this.running)
      if (which(running)) running.controller.abort(new CaptureStoppedError(reason));
  }

  /** Reads periodically which of the attempts are still this worker's, and stops the others. */
  private every(ms: number, listOurs: (ids: string[]) => Promise<Attempt[]>): void {
    const timer = setInterval(() => {
      const checked = [...this.running];
      if (checked.length === 0) return;
      listOurs(checked.map(({ id }) => id)).then(
        (ours) => {
          this.stop(
            'lost',
            (running) => checked.includes(running) && !ours.some((each) => isSame(each, running)),
          );
        },
        (err: unknown) => {
          this.logger.warn({ err }, 'the leases could not be renewed or checked');
        },
      );
    }, ms);
    this.timers.push(timer);
  }
}

function isSame(one: Attempt, other: Attempt): boolean {
  return one.id === other.id && one.attempt === other.attempt;
}
