import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { AppError } from '@app/kernel';
import { Attempts, JobSignals, LEASE_RENEWAL_MS } from '@app/jobs';
import { WorkerIdentity } from '../worker-identity.js';

/** Why a capture is stopped although its page did nothing wrong. */
export type StopReason = 'canceled' | 'lease_lost' | 'shutdown';

/** Thrown through the engine to end a capture; no verdict on the job. */
export class CaptureStopped extends AppError {
  constructor(readonly reason: StopReason) {
    super('unavailable', { detail: `The capture was stopped: ${reason}.` });
  }
}

/** The captures that run in this process: keeps their leases and stops those that are no longer wanted or ours. */
@Injectable()
export class RunningCaptures implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(RunningCaptures.name);
  private readonly running = new Map<string, AbortController>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly attempts: Attempts,
    private readonly signals: JobSignals,
    private readonly worker: WorkerIdentity,
  ) {}

  onModuleInit(): void {
    this.signals.on('canceled', (jobId) => {
      this.stop(jobId, 'canceled');
    });
    this.timer = setInterval(() => void this.renew(), LEASE_RENEWAL_MS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Runs `work` with a signal that aborts when the job is to be stopped. */
  async keep<T>(jobId: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.running.set(jobId, controller);
    try {
      return await work(controller.signal);
    } finally {
      this.running.delete(jobId);
    }
  }

  stopAll(reason: StopReason): void {
    for (const jobId of this.running.keys()) this.stop(jobId, reason);
  }

  private stop(jobId: string, reason: StopReason): void {
    this.running.get(jobId)?.abort(new CaptureStopped(reason));
  }

  /** Also finds what was canceled while the signals were not heard: a canceled job has no lease to renew. */
  private async renew(): Promise<void> {
    const running = [...this.running.keys()];
    if (running.length === 0) return;
    try {
      const ours = new Set(await this.attempts.renew(this.worker.id, running));
      for (const jobId of running) if (!ours.has(jobId)) this.stop(jobId, 'lease_lost');
    } catch (error) {
      this.logger.warn({ err: error }, 'leases could not be renewed');
    }
  }
}
