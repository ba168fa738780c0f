import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import type { Job } from '../job/job.entity.js';
import { freshnessOf, type CacheDemand } from './cache-demand.service.js';
import { CacheEntryRepository, type CachedCapture, type CacheEntry } from './cache-entry.repository.js';

/** What a synchronous capture does. `visits`: it makes its own visit, which others may follow if it `leads`. */
export type CacheDecision =
  | { readonly kind: 'cached'; readonly status: 'hit' | 'stale'; readonly cached: CachedCapture }
  | { readonly kind: 'follows'; readonly leaderId: string }
  | { readonly kind: 'visits'; readonly leads: boolean };

/** Decides which of identical captures makes the visit. */
@Injectable()
export class CacheElectionService {
  constructor(private readonly entries: CacheEntryRepository) {}

  /** Locks the entry unless the cache answers, so that of several captures exactly one leads. */
  async decide(transaction: Transaction, accountId: string, demand: CacheDemand): Promise<CacheDecision> {
    const entry = { accountId, key: demand.key };
    const answer = decisionOf(demand, await this.entries.find(entry, transaction));
    if (answer.kind === 'cached') return answer;
    await this.entries.lock(transaction, [entry]);
    // Read again: another transaction may have stored a leader or a capture before it released the lock.
    return decisionOf(demand, await this.entries.find(entry, transaction));
  }

  /** Makes a job that `decide` lets lead the leader, once it is stored. */
  async lead(
    transaction: Transaction,
    { id, accountId }: Pick<Job, 'id' | 'accountId'>,
    { key }: CacheDemand,
  ): Promise<void> {
    await this.entries.setLeaders(transaction, [{ accountId, key, jobId: id }]);
  }
}

function decisionOf(demand: CacheDemand, { cached, leaderId }: CacheEntry): CacheDecision {
  if (demand.force) return { kind: 'visits', leads: leaderId === null };
  const status = cached && freshnessOf(demand, cached.ageS);
  if (cached && status) return { kind: 'cached', status, cached };
  return leaderId === null ? { kind: 'visits', leads: true } : { kind: 'follows', leaderId };
}
