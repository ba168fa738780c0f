import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { CacheLookupRepository, type AskingJob, type FoundAnswer } from '../cache/cache-lookup.repository.js';
import { CachedAnswersService } from '../cache/cached-answers.service.js';
import { EndedJobRepository } from '../job/ended-job.repository.js';
import { JobAnnouncerService } from '../job/job-announcer.service.js';
import { toAcceptedRecord } from '../job/job-record.js';
import type { StoredJob } from './acceptance-outcome.js';
import type { NewJob } from './new-job.js';
import { NewJobRepository } from './new-job.repository.js';

/** The period of jobs that reserve nothing. */
const NO_PERIOD = 'none';

/** Accepts jobs that the cache answers: they have succeeded before their callers get the response, and cost nothing. */
@Injectable()
export class AnsweredIntakeService {
  constructor(
    private readonly lookup: CacheLookupRepository,
    private readonly answers: CachedAnswersService,
    private readonly newJobs: NewJobRepository,
    private readonly ended: EndedJobRepository,
    private readonly announcer: JobAnnouncerService,
  ) {}

  /** Stores those of these jobs that the cache answers; returns them by id. The others are not stored. */
  async take(transaction: Transaction, newJobs: readonly NewJob[]): Promise<Map<string, StoredJob>> {
    const asking = newJobs.flatMap(toAsking);
    const found = asking.length === 0 ? [] : await this.lookup.find(transaction, asking);
    if (found.length === 0) return new Map();
    const answered = new Set(found.map(({ jobId }) => jobId));
    await this.newJobs.insert(
      transaction,
      newJobs.filter(({ id }) => answered.has(id)),
      () => NO_PERIOD,
    );
    const ids = [...(await this.give(transaction, found))];
    await this.announcer.announceAll(transaction, ids);
    const jobs = await this.ended.list(transaction, ids);
    return new Map(
      jobs.map((job) => [job.id, { kind: 'stored', job, record: toAcceptedRecord(job, 1) } as const]),
    );
  }

  /** A capture may lose its files after it was found. Its jobs are then not answered, and are stored later like others. */
  private async give(transaction: Transaction, found: readonly FoundAnswer[]): Promise<Set<string>> {
    const ended = await this.answers.give(transaction, found);
    const left = found.filter(({ jobId }) => !ended.has(jobId));
    if (left.length > 0) {
      await this.newJobs.remove(
        transaction,
        left.map(({ jobId }) => jobId),
      );
    }
    return ended;
  }
}

/** A synchronous capture gets no row when the cache answers it. */
function toAsking({ id: jobId, accountId, source, cache }: NewJob): AskingJob[] {
  return cache === null || cache.force || source === 'sync' ? [] : [{ ...cache, jobId, accountId }];
}
