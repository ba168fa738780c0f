import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import type { Job } from '../job/job.entity.js';
import { CacheEntryRepository, type CacheKey, type Leader } from './cache-entry.repository.js';
import { FollowerRepository } from './follower.repository.js';

/** A waiting job, as far as the cache decides about it. */
type WaitingJob = Pick<Job, 'id' | 'accountId' | 'cacheKey' | 'cacheStatus'>;

/** A waiting job that asks for the cache. */
type CachingJob = WaitingJob & { readonly cacheKey: Buffer };

/**
 * What the cache does for background jobs when they are dispatched: it elects which of identical ones makes the visit. The
 * first that is dispatched leads. The others follow it, and so take no slot; settlement.service.ts ends them when the leader has
 * ended.
 *
 * A leader is always a dispatched job, and a follower never leads, so that no two jobs wait for each other.
 */
@Injectable()
export class JobCacheService {
  constructor(
    private readonly entries: CacheEntryRepository,
    private readonly followers: FollowerRepository,
  ) {}

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
