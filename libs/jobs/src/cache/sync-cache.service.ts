import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { CaptureOptions } from '@app/capture';
import type { Transaction } from '@app/database';
import { SessionUsesService } from '@app/sessions';
import type { Job } from '../job/job.entity.js';
import type { CacheAnswer } from '../job/job-state.js';
import { JobSignalsService } from '../signals/job-signals.service.js';
import { CacheDemandService, freshnessOf, type CacheDemand } from './cache-demand.service.js';
import { CacheEntryRepository, type CachedCapture, type CacheEntry } from './cache-entry.repository.js';
import { RecentCaptures } from './recent-captures.js';

/** How the cache answered a synchronous capture that made no visit of its own. */
export interface CacheUse {
  readonly status: CacheAnswer;
  /** How old the files are. */
  readonly ageS: number;
}

/** A capture that answers for another one, and how. */
export interface AnsweringCapture {
  readonly job: Job;
  readonly use: CacheUse;
}

/** What a synchronous capture does. `visits`: it makes its own visit, which others may follow if it `leads`. */
export type CacheDecision =
  | (AnsweringCapture & { readonly kind: 'cached' })
  | { readonly kind: 'follows'; readonly leaderId: string; readonly use: CacheUse }
  | { readonly kind: 'visits'; readonly leads: boolean };

/**
 * What the cache does for a capture whose caller waits. `findAnswer` asks what this process has read in the last seconds. If
 * that has no answer, the transaction that accepts the capture calls `elect`: of identical captures exactly one leads.
 */
@Injectable()
export class SyncCacheService implements OnModuleInit {
  private readonly recent = new RecentCaptures(async (entry) => (await this.entries.find(entry)).cached);

  constructor(
    private readonly demands: CacheDemandService,
    private readonly entries: CacheEntryRepository,
    private readonly signals: JobSignalsService,
    private readonly sessions: SessionUsesService,
  ) {}

  onModuleInit(): void {
    this.signals.on('forgotten', (captureId) => this.recent.forgetDeleted(captureId));
  }

  /**
   * What the options ask of the cache; null if they do not ask for it.
   *
   * @throws AppError as `SessionUsesService.bind` does
   */
  async demandOf(accountId: string, options: CaptureOptions): Promise<CacheDemand | null> {
    if (options.cache_ttl_s === 0) return null;
    await this.demands.refresh();
    await this.sessions.bind(accountId, options);
    return this.demands.read(accountId, options);
  }

  /** Finds the capture that answers, fresh or stale; null if a new one must be made. */
  async findAnswer(accountId: string, demand: CacheDemand): Promise<AnsweringCapture | null> {
    if (demand.force) return null;
    return answerOf(demand, await this.recent.findLatest({ accountId, key: demand.key }));
  }

  /** Finds the latest capture however old it is, for callers who prefer it to an error. */
  async findLatest(accountId: string, demand: CacheDemand): Promise<AnsweringCapture | null> {
    const cached = await this.recent.findLatest({ accountId, key: demand.key });
    if (!cached) return null;
    return answerOf(demand, cached) ?? { job: cached.capture, use: { status: 'stale', ageS: cached.ageS } };
  }

  /** Decides what a capture does. Locks the entry unless the cache answers, so that of several captures exactly one leads. */
  async elect(transaction: Transaction, accountId: string, demand: CacheDemand): Promise<CacheDecision> {
    const entry = { accountId, key: demand.key };
    const answer = decisionOf(demand, await this.entries.find(entry, transaction));
    if (answer.kind === 'cached') return answer;
    await this.entries.lock(transaction, [entry]);
    // Read again: another transaction may have stored a leader or a capture before it released the lock.
    return decisionOf(demand, await this.entries.find(entry, transaction));
  }

  /** Makes a job that `elect` lets lead the leader, once it is stored. */
  async makeLeader(
    transaction: Transaction,
    { id: jobId, accountId }: Pick<Job, 'id' | 'accountId'>,
    { key }: CacheDemand,
  ): Promise<void> {
    await this.entries.setLeaders(transaction, [{ accountId, key, jobId }]);
  }

  /** Answers in this process with a capture that has just succeeded, instead of an older one. */
  remember(capture: Job): void {
    const { accountId, cacheKey: key } = capture;
    if (key) this.recent.remember({ accountId, key }, capture);
  }

  /** Forgets what this process knows. Whatever found the files gone made the cache itself forget the capture. */
  forget(accountId: string, { key }: CacheDemand): void {
    this.recent.forget({ accountId, key });
  }
}

function answerOf(demand: CacheDemand, cached: CachedCapture | null): AnsweringCapture | null {
  const status = cached && freshnessOf(demand, cached.ageS);
  return cached && status ? { job: cached.capture, use: { status, ageS: cached.ageS } } : null;
}

function decisionOf(demand: CacheDemand, { cached, leaderId }: CacheEntry): CacheDecision {
  if (demand.force) return { kind: 'visits', leads: leaderId === null };
  const answer = answerOf(demand, cached);
  if (answer) return { kind: 'cached', ...answer };
  if (leaderId === null) return { kind: 'visits', leads: true };
  return { kind: 'follows', leaderId, use: { status: 'coalesced', ageS: 0 } };
}
