import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { JobRepository } from '../job/job.repository.js';
import { QueuePositionRepository } from '../dispatch/queue-position.repository.js';
import { JobSignalsService } from './job-signals.service.js';
import { Watchers, type Tell } from './watchers.js';

/** Behind the signals, and for what nobody signals: places in the line, and that a worker has begun. */
const POLL_MS = 1_000;

/** Where a job stands, in one word: it differs when status, attempt or place in the line do. */
export function standingOf(job: { status: string; attempt: number }, place: number | undefined): string {
  return [job.status, job.attempt, ...(place === undefined ? [] : [place])].join('.');
}

/** Tells of every change of jobs that are watched. */
@Injectable()
export class JobWatchService implements OnModuleInit, OnApplicationShutdown {
  private readonly watchers = new Watchers(POLL_MS, (ids) => this.look(ids));

  constructor(
    private readonly signals: JobSignalsService,
    private readonly repository: JobRepository,
    private readonly line: QueuePositionRepository,
  ) {}

  onModuleInit(): void {
    for (const signal of ['finished', 'canceled'] as const) {
      this.signals.on(signal, (jobId) => {
        this.watchers.tell(jobId, null);
      });
    }
    this.watchers.start();
  }

  onApplicationShutdown(): void {
    this.watchers.stop();
  }

  /** Watchers of this process. */
  get size(): number {
    return this.watchers.size;
  }

  /** @see Watchers.watch */
  watch(jobId: string, tell: Tell): () => void {
    return this.watchers.watch(jobId, tell);
  }

  private async look(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const jobs = await this.repository.listStanding(ids);
    const places = await this.line.placesOf(jobs);
    return new Map(jobs.map((job) => [job.id, standingOf(job, places.get(job.id))]));
  }
}
