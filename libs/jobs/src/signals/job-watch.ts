import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { JobRepository } from '../job.repository.js';
import { WaitingLine } from '../waiting-line.repository.js';
import { JobSignals } from './job-signals.js';

/** Behind the signals, and for what nobody signals: places in the line, and that a worker has begun. */
const POLL_MS = 1_000;

/** Where a job stands, in one word: it differs when status, attempt or place in the line do. */
export function standingOf(job: { status: string; attempt: number }, place: number | undefined): string {
  return [job.status, job.attempt, ...(place === undefined ? [] : [place])].join('.');
}

/** Tells a watcher that something may have changed; null: look yourself. A job that is gone stands nowhere: ''. */
type Tell = (standing: string | null) => void;

/** Tells of every change of jobs that are watched. One poll serves all watchers of the process. */
@Injectable()
export class JobWatch implements OnModuleInit, OnApplicationShutdown {
  private readonly watched = new Map<string, Set<Tell>>();
  private timer: NodeJS.Timeout | undefined;
  private isPolling = false;

  constructor(
    private readonly signals: JobSignals,
    private readonly repository: JobRepository,
    private readonly line: WaitingLine,
  ) {}

  onModuleInit(): void {
    for (const signal of ['finished', 'canceled'] as const) {
      this.signals.on(signal, (jobId) => {
        this.tell(jobId, null);
      });
    }
    this.timer = setInterval(() => void this.poll(), POLL_MS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Watchers of this process. */
  get size(): number {
    return this.watched.size;
  }

  /** Calls `tell` at changes, and now and then without one, until the result is called. */
  watch(jobId: string, tell: Tell): () => void {
    this.watched.set(jobId, (this.watched.get(jobId) ?? new Set()).add(tell));
    return () => {
      const tells = this.watched.get(jobId);
      tells?.delete(tell);
      if (tells?.size === 0) this.watched.delete(jobId);
    };
  }

  private tell(jobId: string, standing: string | null): void {
    for (const tell of this.watched.get(jobId) ?? []) tell(standing);
  }

  private async poll(): Promise<void> {
    if (this.isPolling || this.watched.size === 0) return;
    this.isPolling = true;
    try {
      const ids = [...this.watched.keys()];
      const jobs = new Map((await this.repository.listStanding(ids)).map((job) => [job.id, job]));
      const places = await this.line.placesOf([...jobs.values()]);
      for (const id of ids) {
        const job = jobs.get(id);
        this.tell(id, job ? standingOf(job, places.get(id)) : '');
      }
    } catch {
      // The database is away; the next poll asks again, and readiness already tells.
    } finally {
      this.isPolling = false;
    }
  }
}
