import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { EndedJobRepository } from '../job/ended-job.repository.js';
import { JobAnnouncerService } from '../job/job-announcer.service.js';
import type { Job } from '../job/job.entity.js';
import type { CacheAnswer } from '../job/job-state.js';
import type { CacheDemand } from './cache-demand.service.js';
import { CacheEntryRepository, type CacheKey, type Leader } from './cache-entry.repository.js';
import {
  CachedAnswerRepository,
  type AskingJob,
  type CachedAnswer,
  type FoundAnswer,
} from './cached-answer.repository.js';
import { FollowerRepository } from './follower.repository.js';
import { SharedFilesRepository } from './shared-files.repository.js';

export type { AskingJob };

/** A waiting job, as far as the cache decides about it. */
type WaitingJob = Pick<Job, 'id' | 'accountId' | 'cacheKey' | 'cacheStatus'>;

/** A waiting job that asks for the cache. */
type CachingJob = WaitingJob & { readonly cacheKey: Buffer };

/** The rows of a new batch that the cache has answered. */
export interface AnsweredRows {
  readonly rows: number;
  /** The captures that answered although they were stale. */
  readonly staleIds: readonly string[];
}

/**
 * What the cache does for background jobs. It answers those that it can when they are accepted. When the others are
 * dispatched, it elects which of identical ones makes the visit: the first that is dispatched leads. The others follow it, and
 * so take no slot; settlement.service.ts ends them when the leader has ended.
 *
 * A leader is always a dispatched job, and a follower never leads, so that no two jobs wait for each other.
 */
@Injectable()
export class JobCacheService {
  private readonly listeners: ((status: CacheAnswer) => void)[] = [];

  constructor(
    private readonly entries: CacheEntryRepository,
    private readonly answers: CachedAnswerRepository,
    private readonly followers: FollowerRepository,
    private readonly sharedFiles: SharedFilesRepository,
    private readonly announcer: JobAnnouncerService,
    private readonly ended: EndedJobRepository,
  ) {}

  /** Calls `listener` for each job that this process ends with an answer of the cache. */
  onAnswered(listener: (status: CacheAnswer) => void): void {
    this.listeners.push(listener);
  }

  /** Counts how many captures with these demands the cache would answer now. */
  countAnswers(accountId: string, demands: readonly CacheDemand[]): Promise<number> {
    return this.answers.count(accountId, demands);
  }

  /** Finds the captures that answer these jobs, fresh or stale. */
  findAnswers(transaction: Transaction, jobs: readonly AskingJob[]): Promise<FoundAnswer[]> {
    return this.answers.find(transaction, jobs);
  }

  /**
   * queued → succeeded for these jobs, which the transaction has locked or inserted.
   *
   * @returns the ids of those that have ended. A capture whose files are gone in the meantime answers no job
   */
  async answer(transaction: Transaction, answers: readonly CachedAnswer[]): Promise<Set<string>> {
    if (answers.length === 0) return new Set();
    const captureIds = new Set(answers.map(({ captureId }) => captureId));
    const held = await this.sharedFiles.hold(transaction, [...captureIds]);
    const ended = await this.answers.end(
      transaction,
      answers.filter(({ captureId }) => held.has(captureId)),
    );
    for (const { jobId, status } of answers) {
      if (ended.has(jobId)) for (const listener of this.listeners) listener(status);
    }
    return ended;
  }

  /** As `answer`, for single jobs that the transaction has inserted. Returns those that have ended, and announces their ends. */
  async answerNew(transaction: Transaction, answers: readonly FoundAnswer[]): Promise<Job[]> {
    const ids = [...(await this.answer(transaction, answers))];
    await this.announcer.announceAll(transaction, ids);
    return this.ended.list(transaction, ids);
  }

  /** As `answer`, for the rows of a batch that the transaction has inserted. */
  async answerRows(transaction: Transaction, batchId: string): Promise<AnsweredRows> {
    const found = await this.answers.findForBatch(transaction, batchId);
    const ended = await this.answer(transaction, found);
    const stale = found.filter(({ jobId, status }) => status === 'stale' && ended.has(jobId));
    return { rows: ended.size, staleIds: [...new Set(stale.map(({ captureId }) => captureId))] };
  }

  /**
   * Makes followers of the jobs among these that need no visit of their own, and of other waiting jobs like them. Returns the
   * ids of the new followers.
   */
  async makeFollowers(transaction: Transaction, jobs: readonly WaitingJob[]): Promise<ReadonlySet<string>> {
    const able = jobs.filter(isCaching).filter((job) => !ignoresCache(job));
    if (able.length === 0) return new Set();
    return this.followers.add(
      transaction,
      able.map(keyOf),
      able.map(({ id }) => id),
    );
  }

  /**
   * Returns which of these locked jobs make a visit: the first of identical ones, and all that ignore the cache. The
   * entries of the cache stay locked until the transaction ends.
   */
  async elect<Waiting extends WaitingJob>(
    transaction: Transaction,
    jobs: readonly Waiting[],
  ): Promise<Waiting[]> {
    const caching = jobs.filter(isCaching);
    if (caching.length === 0) return [...jobs];
    await this.entries.lock(transaction, caching.map(keyOf));
    // A new statement, which sees what others have stored before they released the locks.
    const followers = await this.makeFollowers(transaction, caching);
    const named = new Set<string>();
    return jobs.filter((job) => {
      if (!isCaching(job)) return true;
      const isFirst = !named.has(nameOf(job));
      named.add(nameOf(job));
      return ignoresCache(job) || (isFirst && !followers.has(job.id));
    });
  }

  /**
   * Makes these jobs, which were dispatched, leaders where no other one leads, and has identical jobs follow them. Returns how
   * many do.
   */
  async makeLeaders(transaction: Transaction, jobs: readonly WaitingJob[]): Promise<number> {
    const leaders = new Map<string, Leader>();
    for (const job of jobs.filter(isCaching).toReversed()) {
      leaders.set(nameOf(job), { ...keyOf(job), jobId: job.id });
    }
    if (leaders.size === 0) return 0;
    await this.entries.setLeaders(transaction, [...leaders.values()]);
    return (await this.followers.add(transaction, [...leaders.values()])).size;
  }
}

function isCaching<Waiting extends WaitingJob>(job: Waiting): job is Waiting & CachingJob {
  return job.cacheKey !== null;
}

function ignoresCache({ cacheStatus }: WaitingJob): boolean {
  return cacheStatus === 'bypass';
}

function keyOf({ accountId, cacheKey: key }: CachingJob): CacheKey {
  return { accountId, key };
}

function nameOf({ accountId, cacheKey }: CachingJob): string {
  return `${accountId}.${cacheKey.toString('base64')}`;
}
