import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { JobRepository } from '../job/job.repository.js';
import { JobSignalsService } from './job-signals.service.js';

/** Behind the signals: what was missed is found at the latest after this. */
const POLL_MS = 1_000;

/** Tells when a job has reached a final state, whoever brought it there. */
@Injectable()
export class JobCompletionService implements OnModuleInit, OnApplicationShutdown {
  private readonly waiting = new Map<string, Set<() => void>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly signals: JobSignalsService,
    private readonly repository: JobRepository,
  ) {}

  onModuleInit(): void {
    this.signals.on('finished', (jobId) => {
      this.wake(jobId);
    });
    this.timer = setInterval(() => void this.poll(), POLL_MS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /**
   * Resolves when the job is final, after `timeoutMs`, or when `signal` aborts, whichever is first. A job that was
   * final before the call is noticed by the poll, so callers read the row first.
   */
  wait(jobId: string, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        this.forget(jobId, done);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      signal?.addEventListener('abort', done);
      const waiting = this.waiting.get(jobId) ?? new Set();
      this.waiting.set(jobId, waiting.add(done));
      if (signal?.aborted === true) done();
    });
  }

  private wake(jobId: string): void {
    for (const done of this.waiting.get(jobId) ?? []) done();
  }

  private forget(jobId: string, done: () => void): void {
    const waiting = this.waiting.get(jobId);
    waiting?.delete(done);
    if (waiting?.size === 0) this.waiting.delete(jobId);
  }

  private async poll(): Promise<void> {
    if (this.waiting.size === 0) return;
    try {
      const final = await this.repository.listFinal([...this.waiting.keys()]);
      for (const jobId of final) this.wake(jobId);
    } catch {
      // The database is away; the next poll asks again, and readiness already tells.
    }
  }
}
