import { Inject, Injectable } from '@nestjs/common';
import {
  isFinal,
  JobsService,
  nameOfDemand,
  RenewalService,
  SyncCacheService,
  type Accepted,
  type AnsweringCapture,
  type CacheDemand,
  type CacheUse,
  type CancelReason,
  type Job,
  type JobRequest,
} from '@app/jobs';
import { AppError, type ErrorCode } from '@app/kernel';
import { inSpan } from '@app/tracing';
import { DrainService } from '../http/drain.service.js';
import { CaptureMetrics } from '../metrics/capture.metrics.js';
import { RequestCoalescer } from './request-coalescer.js';
import { VisitCallers, type VisitCaller } from './visit-callers.js';

/** Injection token of `WaitLimits`. */
export const WAIT_LIMITS = Symbol('WAIT_LIMITS');

/** How long callers wait for workers. */
export interface WaitLimits {
  /**
   * Time in which a worker must take the capture. Shorter than the 60 s after which load balancers cut an idle connection,
   * longer than a burst takes to pass.
   */
  readonly startMs: number;
  /** Added to the capture's own timeout: a dead worker is noticed after 20 s, and another one takes over. */
  readonly endSlackMs: number;
}

export const DEFAULT_WAIT_LIMITS: WaitLimits = { startMs: 30_000, endSlackMs: 45_000 };

/** A caller follows so many jobs that fail with a transient error; then their error is the answer. */
const MAX_FAILED_LEADERS = 2;

/** How long a caller waits. */
export interface WaitOptions {
  /** The job is returned as it is after this time; without it the caller waits for its end. */
  readonly waitMs?: number;
  /** Aborts when the caller disconnects. */
  readonly disconnect: AbortSignal;
  /** Whether the latest capture of the cache, however old, is better than an error about the account's limits. */
  readonly prefersStale?: boolean;
  /** Called before a capture is submitted, which the cache does not answer; it may refuse the request. */
  readonly beforeVisit?: (() => Promise<void>) | undefined;
}

/** A capture, and whether an earlier request or the cache had it already. */
export interface SyncOutcome {
  readonly job: Job;
  /** Whether it is that of an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean;
  /** How the cache answered; null for a capture with a visit of its own. */
  readonly use: CacheUse | null;
}

type SyncRequest = Omit<JobRequest, 'source'>;

/** One caller's wait: what it may still take, and what happens when it is over. */
interface Wait extends WaitOptions {
  readonly request: SyncRequest;
  remainingMs(): number;
}

/** The wait for one of the jobs. */
interface CallersWait extends Wait {
  readonly caller: VisitCaller;
  /** The job as it was accepted a moment ago. */
  readonly known?: Job | undefined;
}

/** Captures whose callers wait for them. */
@Injectable()
export class SyncCapturesService {
  private readonly callers = new VisitCallers();
  private readonly coalescer = new RequestCoalescer();

  constructor(
    private readonly jobs: JobsService,
    private readonly metrics: CaptureMetrics,
    private readonly drain: DrainService,
    private readonly cache: SyncCacheService,
    private readonly renewal: RenewalService,
    @Inject(WAIT_LIMITS) private readonly limits: WaitLimits,
  ) {}

  /**
   * Answers from the cache, or submits a capture and waits for it. The capture is canceled when all its callers have
   * disconnected. A repeated request returns the capture of the first request.
   *
   * @throws AppError of the acceptance, `overloaded` when no worker took the capture in time, and `idempotency_in_flight`
   * when the capture of the first request is still in progress
   */
  async run(request: SyncRequest, wait: WaitOptions): Promise<SyncOutcome> {
    const demand = await this.cache.demandOf(request.accountId, request.options);
    const outcome = await this.answer(request, demand, wait);
    if (demand) this.metrics.answeredBy(outcome.use?.status ?? (demand.force ? 'bypass' : 'miss'));
    return outcome;
  }

  private async answer(
    request: SyncRequest,
    demand: CacheDemand | null,
    wait: WaitOptions,
  ): Promise<SyncOutcome> {
    // A request with an Idempotency-Key must know first whether it was answered before.
    const known =
      demand && !request.idempotency ? await this.cache.findAnswer(request.accountId, demand) : null;
    if (known) return this.cachedOutcome(known);
    try {
      return await this.drain.finish(this.metrics.waiting(() => this.capture(request, demand, wait)));
    } catch (error) {
      const kept =
        demand && wait.prefersStale === true && isLimit(error)
          ? await this.cache.findLatest(request.accountId, demand)
          : null;
      if (!kept) throw error;
      return this.cachedOutcome(kept);
    }
  }

  /** Makes this process, and the key of this request, forget the capture that it was answered with. */
  async forget({ accountId, options, idempotency }: SyncRequest, job: Job): Promise<void> {
    const demand = await this.cache.demandOf(accountId, options);
    if (demand) this.cache.forget(accountId, demand);
    if (idempotency) await this.jobs.releaseKey(job, idempotency.key);
  }

  private cachedOutcome(known: AnsweringCapture): SyncOutcome {
    // The answer does not wait for the new capture.
    if (known.use.status === 'stale') void this.renewal.renew([known.job.id]);
    return { ...known, replayed: false };
  }

  private async capture(
    request: SyncRequest,
    demand: CacheDemand | null,
    options: WaitOptions,
  ): Promise<SyncOutcome> {
    const wait = this.waitOf(request, options);
    let followed: Job | undefined;
    for (let failedLeaders = 0; ;) {
      const { job: submitted, replayed, use } = await this.submit(wait, demand, followed);
      if (replayed && !isFinal(submitted.status)) throw new AppError('idempotency_in_flight');
      if (replayed) return { job: submitted, replayed, use };
      if (use && isFinal(submitted.status)) return this.cachedOutcome({ job: submitted, use });
      const facts = { 'capture.id': submitted.id };
      const job = await inSpan('capture.wait', { facts }, () =>
        this.waitTogether(submitted, use === null, wait),
      );
      if (job.status === 'succeeded') this.cache.remember(job);
      if (job.status === 'failed') failedLeaders++;
      const mayFollowNext = use !== null && !wait.disconnect.aborted && failedLeaders < MAX_FAILED_LEADERS;
      if (!mayFollowNext || !maySucceedAgain(job)) return { job, replayed, use };
      if (request.idempotency) await this.jobs.releaseKey(job, request.idempotency.key);
      followed = job;
    }
  }

  /** @param followed the job that failed the caller */
  private submit(
    { request, beforeVisit }: Wait,
    demand: CacheDemand | null,
    followed?: Job,
  ): Promise<Accepted> {
    const submit = async (): Promise<Accepted> => {
      await beforeVisit?.();
      return this.metrics.accepting(() => this.jobs.submit({ ...request, source: 'sync' }));
    };
    if (!demand || demand.force || request.idempotency) return submit();
    const end = ({ job }: Accepted): Promise<Job> =>
      this.jobs.waitForEnd(job.id, this.longestMs(job.timeoutMs), { signal: this.drain.closing });
    return this.coalescer.submit(nameOfDemand(request.accountId, demand), {
      submit,
      end,
      followedId: followed?.id,
    });
  }

  /** `Prefer: wait` limits the whole wait, and the capture's own timeout each of its jobs. */
  private waitOf(request: SyncRequest, options: WaitOptions): Wait {
    const limit = options.waitMs ?? this.longestMs(request.options.timeout_ms);
    const startedAt = performance.now();
    return {
      ...options,
      request,
      remainingMs: () => Math.max(0, Math.ceil(startedAt + limit - performance.now())),
    };
  }

  /** The longest wait for a capture with this timeout. */
  private longestMs(timeoutMs: number): number {
    return this.limits.startMs + timeoutMs + this.limits.endSlackMs;
  }

  /** Waits for a job together with the other callers of this process. */
  private async waitTogether(submitted: Job, isOwn: boolean, wait: Wait): Promise<Job> {
    const caller = this.callers.join(submitted.id, isOwn);
    try {
      // That of another caller may have ended since it was accepted.
      const known = isOwn ? submitted : undefined;
      const job = await this.waitFor(submitted, { ...wait, caller, known });
      if (isFinal(job.status)) return job;
      if (wait.disconnect.aborted) return await this.abandon(job, 'client_disconnected', { ...wait, caller });
      this.callers.keep(job.id);
      return job;
    } finally {
      caller.leave();
    }
  }

  private async waitFor(submitted: Job, wait: CallersWait): Promise<Job> {
    const { id, timeoutMs } = submitted;
    const { waitMs, disconnect, known } = wait;
    const end = (ms: number, from?: Job): Promise<Job> =>
      this.jobs.waitForEnd(id, Math.min(ms, wait.remainingMs()), { signal: disconnect, known: from });
    if (waitMs !== undefined) return end(waitMs, known);
    const started = await end(this.limits.startMs, known);
    if (disconnect.aborted || isFinal(started.status)) return started;
    // A job that is queued again had a worker, which died; it gets as much time as one that runs.
    if (started.status === 'queued' && started.attempt === 0) return this.giveUp(started, wait);
    const ended = await end(timeoutMs + this.limits.endSlackMs);
    return disconnect.aborted || isFinal(ended.status) ? ended : this.giveUp(ended, wait);
  }

  private async giveUp(job: Job, wait: CallersWait): Promise<Job> {
    const ended = await this.abandon(job, 'overloaded', wait);
    if (isFinal(ended.status) && ended.status !== 'canceled') return ended;
    throw new AppError('overloaded', { detail: 'No worker was free in time; the capture was canceled.' });
  }

  /** Returns the job as it ended: it may have finished just before it could be canceled. It goes on if others wait for it. */
  private async abandon(job: Job, reason: CancelReason, { request, caller }: CallersWait): Promise<Job> {
    const key = request.idempotency?.key;
    if (!caller.leave()) {
      // The last caller may cancel it; a repetition of this request then makes another.
      if (key !== undefined) await this.jobs.releaseKey(job, key);
      return job;
    }
    try {
      const canceled = await this.jobs.cancelUnanswered(job, reason, key);
      // Another request may have canceled it first.
      if (canceled.cancelReason === reason) this.metrics.abandonedFor(reason);
      return canceled;
    } catch (error) {
      if (error instanceof AppError && error.code === 'job_finished') {
        return this.jobs.find(job.accountId, job.id);
      }
      throw error;
    }
  }
}

const LIMITS: readonly ErrorCode[] = ['allowance_exhausted', 'concurrency_exceeded', 'rate_limited'];

/** Whether a limit of the account forbids another capture. */
function isLimit(error: unknown): boolean {
  return error instanceof AppError && LIMITS.includes(error.code);
}

/** Whether the same capture may succeed if another caller makes it. */
function maySucceedAgain({ status, error }: Job): boolean {
  return status === 'canceled' || (status === 'failed' && error?.retryable === true);
}
