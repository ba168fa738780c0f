import { Injectable } from '@nestjs/common';
import { Env } from '@app/config';
import type { Transaction } from '@app/database';
import { UsageService } from '@app/usage';
import { JobCacheService } from '../cache/job-cache.service.js';
import { slotHoldMs } from '../job/slot-hold.js';
import { BusyHosts, hostLimitsOf, type HostLimits } from './busy-hosts.js';
import {
  DispatchRepository,
  LOOK_AHEAD,
  type InFlightJobs,
  type LineQuery,
  type WaitingJob,
} from './dispatch.repository.js';
import { pickFairly, type Picked } from './fair-pick.js';
import type { JobPriority } from './job-priorities.js';

/** Jobs in flight for each background slot: one that runs, and one that can start as soon as it ends. */
const IN_FLIGHT_PER_SLOT = 2;

/** A round in which this many jobs have become followers leaves the others to the next, so that it stays short. */
const FOLLOWERS_OF_ROUND = 2_000;

/** What a round knows before it reads the waiting jobs. */
interface Round {
  /** Background slots of all workers. */
  readonly slots: number;
  readonly inFlight: InFlightJobs;
}

/** The jobs that have left their lines. */
export interface Decision {
  readonly dispatched: readonly JobPriority[];
  /** How many follow another job. */
  readonly followers: number;
}

/** The waiting jobs that a round may dispatch. */
interface Choice {
  readonly picked: readonly Picked<WaitingJob>[];
  readonly followers: number;
}

/** Decides, in the transaction of a round, which jobs are dispatched. */
@Injectable()
export class DispatchDecisionService {
  private readonly hostLimits: HostLimits;

  constructor(
    private readonly repository: DispatchRepository,
    private readonly cache: JobCacheService,
    private readonly usage: UsageService,
    env: Env,
  ) {
    this.hostLimits = hostLimitsOf(env);
  }

  async decide(transaction: Transaction, round: Round): Promise<Decision> {
    const { picked, followers } = await this.choose(transaction, round);
    const jobs = await this.elect(
      transaction,
      picked.map(({ job }) => job),
    );
    if (jobs.length === 0) return { dispatched: [], followers };
    const slots = jobs.map(({ id: jobId, accountId, timeoutMs }) => {
      return { jobId, accountId, holdMs: slotHoldMs(timeoutMs) };
    });
    const held = new Set(await this.usage.holdSlots(transaction, slots));
    const priorities = picked.flatMap(({ job: { id }, priority }) =>
      held.has(id) ? [[id, priority] as const] : [],
    );
    const dispatched = await this.repository.dispatch(transaction, new Map(priorities));
    const ids = new Set(dispatched.map(({ job }) => job.id));
    const more = await this.cache.makeLeaders(
      transaction,
      jobs.filter(({ id }) => ids.has(id)),
    );
    return { dispatched, followers: followers + more };
  }

  /** Locks these jobs; returns those that still wait and make a visit. */
  private async elect(transaction: Transaction, jobs: readonly WaitingJob[]): Promise<WaitingJob[]> {
    const locked = await this.repository.lock(
      transaction,
      jobs.map(({ id }) => id),
    );
    return this.cache.elect(
      transaction,
      jobs.filter(({ id }) => locked.has(id)),
    );
  }

  private async choose(transaction: Transaction, { slots, inFlight }: Round): Promise<Choice> {
    const lines = await this.repository.listLines(transaction);
    const accounts = await this.usage.listFree(transaction, [
      ...new Set(lines.map(({ accountId }) => accountId)),
    ]);
    const capacity = IN_FLIGHT_PER_SLOT * slots;
    const hosts = new BusyHosts(this.hostLimits, inFlight.background);
    // More than the capacity is never dispatched in one round.
    const limits = new Map(accounts.map(({ accountId, free }) => [accountId, Math.min(free, capacity)]));
    const open = lines
      .map((line) => ({
        ...line,
        limit: limits.get(line.accountId) ?? 0,
        busyHosts: hosts.listFor(line.batchId),
      }))
      .filter((line) => line.limit > 0);
    const { waiting, followers } = await this.listWaiting(transaction, open);
    const limit = { slots, inAll: capacity, hostLimits: this.hostLimits, accounts };
    const { background, interactive } = inFlight;
    return { picked: pickFairly(waiting, { ...limit, inFlight: background, interactive }), followers };
  }

  /**
   * Identical jobs must not hold up those behind them: what can follow is taken out of the lines first, and where some
   * could, more rows are looked at.
   */
  private async listWaiting(
    transaction: Transaction,
    lines: readonly LineQuery[],
  ): Promise<{ readonly waiting: WaitingJob[]; readonly followers: number }> {
    let open = lines;
    let followers = 0;
    for (;;) {
      const waiting = await this.repository.listNextOrBeyond(transaction, open);
      const followed = await this.cache.makeFollowers(transaction, waiting);
      followers += followed.size;
      const left = waiting.filter(({ id }) => !followed.has(id));
      if (left.length === waiting.length || followers >= FOLLOWERS_OF_ROUND) {
        return { waiting: left, followers };
      }
      const accounts = new Set(waiting.flatMap(({ id, accountId }) => (followed.has(id) ? accountId : [])));
      open = open.map((line) => (accounts.has(line.accountId) ? { ...line, limit: LOOK_AHEAD } : line));
    }
  }
}
