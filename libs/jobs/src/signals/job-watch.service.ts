import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Phase } from '@app/kernel';
import { attemptsOf } from '../job/job-state.js';
import { JobRepository } from '../job/job.repository.js';
import { QueuePositionRepository } from '../job/queue-position.repository.js';
import { LivePhasesService } from './live-phases.service.js';
import { JobSignalsService } from './job-signals.service.js';
import { Watchers, type ChangeListener, type EndWait } from './watchers.js';

/** Finds lost signals, and the changes that nobody signals: queue positions, and the start of an attempt. */
const POLL_MS = 1_000;

/** Differs when the status, the attempt, the queue position or the phase of a job does. */
export function versionOf(
  job: { status: string; attempt: number },
  at: { readonly position?: number | undefined; readonly phase: Phase | null },
): string {
  const parts = [job.status, job.attempt, at.position ?? null, at.phase];
  return parts.filter((part) => part !== null).join('.');
}

/** Notifies of changes and ends of jobs, whichever process makes them. */
@Injectable()
export class JobWatchService implements OnModuleInit, OnApplicationShutdown {
  private readonly changes = new Watchers(POLL_MS, (ids) => this.readVersions(ids));
  private readonly ends = new Watchers(POLL_MS, (ids) => this.readEnds(ids));

  constructor(
    private readonly signals: JobSignalsService,
    private readonly repository: JobRepository,
    private readonly positions: QueuePositionRepository,
    private readonly phases: LivePhasesService,
  ) {}

  onModuleInit(): void {
    for (const signal of ['finished', 'canceled'] as const) {
      this.signals.on(signal, (jobId) => {
        this.changes.notify(jobId, null);
        this.ends.notify(jobId, null);
      });
    }
    this.phases.on('entered', (jobId) => {
      this.changes.notify(jobId, null);
    });
    this.changes.start();
    this.ends.start();
  }

  onApplicationShutdown(): void {
    this.changes.stop();
    this.ends.stop();
  }

  /** How many jobs are watched for changes in this process. */
  get size(): number {
    return this.changes.size;
  }

  /** @see Watchers.watch */
  watch(jobId: string, listener: ChangeListener): () => void {
    return this.changes.watch(jobId, listener);
  }

  /** @see Watchers.readAtEnd */
  readAtEnd<R>(jobId: string, wait: EndWait<R>): Promise<R> {
    return this.ends.readAtEnd(jobId, (version) => version !== NOT_FINAL, wait);
  }

  private async readVersions(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const jobs = await this.repository.listProgress(ids);
    const positions = await this.positions.read(jobs);
    const versions = new Map<string, string>();
    for (const job of jobs) {
      // A caller follows it; the question before may be lost.
      if (job.status === 'running' && this.phases.phaseOf(job) === null) this.phases.ask(job);
      versions.set(
        job.id,
        versionOf(
          { ...job, attempt: attemptsOf(job) },
          { position: positions.get(job.id), phase: this.phases.phaseOf(job) },
        ),
      );
    }
    return versions;
  }

  private async readEnds(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return new Map((await this.repository.listFinal(ids)).map((id) => [id, 'final']));
  }
}

/** The version of a job that `readEnds` leaves out. */
const NOT_FINAL = '';
