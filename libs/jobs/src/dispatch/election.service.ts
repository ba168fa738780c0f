import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { CacheEntryRepository, type CacheKey, type Leader } from '../cache/cache-entry.repository.js';
import type { WaitingJob } from './dispatch.repository.js';
import { ElectionRepository } from './election.repository.js';

/** A job that asks for the cache. */
type CachingJob = Pick<WaitingJob, 'id' | 'accountId' | 'cacheStatus'> & { readonly cacheKey: Buffer };

/**
 * Decides which of identical jobs makes the visit. The first that is dispatched leads; the others follow it, and so take no
 * slot. They are settled when the leader has ended: see libs/jobs/src/upkeep/settlement.service.ts.
 *
 * A leader is always a dispatched job, and a follower never leads, so that no two jobs wait for each other.
 */
@Injectable()
export class ElectionService {
  constructor(
    private readonly repository: ElectionRepository,
    private readonly entries: CacheEntryRepository,
  ) {}

  /** Makes those of these jobs followers, and other waiting jobs like them, that need no visit of their own. */
  async follow(transaction: Transaction, jobs: readonly WaitingJob[]): Promise<ReadonlySet<string>> {
    const able = jobs.filter(isCaching).filter((job) => !ignoresCache(job));
    if (able.length === 0) return new Set();
    return this.repository.follow(transaction, able.map(keyOf), idsOf(able));
  }

  /**
   * Returns those of these locked jobs that make a visit: of identical ones the first, and all that ignore the cache. The
   * entries of the cache stay locked until the transaction ends.
   */
  async listVisiting<Job extends WaitingJob>(transaction: Transaction, jobs: readonly Job[]): Promise<Job[]> {
    const caching = jobs.filter(isCaching);
    if (caching.length === 0) return [...jobs];
    await this.entries.lock(transaction, caching.map(keyOf));
    // A new statement, which sees what others have stored before they released the locks.
    const followed = await this.follow(transaction, caching);
    const named = new Set<string>();
    return jobs.filter((job) => {
      if (!isCaching(job)) return true;
      const isFirst = !named.has(nameOf(job));
      named.add(nameOf(job));
      return ignoresCache(job) || (isFirst && !followed.has(job.id));
    });
  }

  /** Makes these jobs, which were dispatched, leaders where no other one leads, and has identical jobs follow them. */
  async lead(transaction: Transaction, jobs: readonly WaitingJob[]): Promise<number> {
    const leaders = new Map<string, Leader>();
    for (const job of jobs.filter(isCaching).toReversed()) {
      leaders.set(nameOf(job), { ...keyOf(job), jobId: job.id });
    }
    if (leaders.size === 0) return 0;
    await this.entries.lead(transaction, [...leaders.values()]);
    return (await this.repository.follow(transaction, [...leaders.values()])).size;
  }
}

function isCaching<Job extends WaitingJob>(job: Job): job is Job & CachingJob {
  return job.cacheKey !== null;
}

function ignoresCache({ cacheStatus }: Pick<WaitingJob, 'cacheStatus'>): boolean {
  return cacheStatus === 'bypass';
}

function keyOf({ accountId, cacheKey: key }: CachingJob): CacheKey {
  return { accountId, key };
}

function nameOf({ accountId, cacheKey }: CachingJob): string {
  return `${accountId}.${cacheKey.toString('base64')}`;
}

function idsOf(jobs: readonly CachingJob[]): string[] {
  return jobs.map(({ id }) => id);
}
