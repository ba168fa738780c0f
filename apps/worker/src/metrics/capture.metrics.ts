import { Injectable, type OnModuleInit } from '@nestjs/common';
import { BLOCK_REASONS, type BlockedRequests, type CaptureTimings } from '@app/capture';
import { CACHE_OUTCOMES, JobCacheService, LANE_OF, LANES, type FailureOutcome, type Job } from '@app/jobs';
import type { ErrorCode } from '@app/kernel';
import { MetricsService } from '@app/metrics';
import { WORKER_METRICS } from './worker-metrics.js';

/** The outcomes of an attempt. */
const OUTCOMES = ['succeeded', 'failed', 'retried', 'lost', 'canceled', 'handed_back', 'abandoned'] as const;
type Outcome = (typeof OUTCOMES)[number];

type Ended = Pick<Job, 'source' | 'format'>;
type Visited = Pick<Job, 'source' | 'format' | 'cacheKey' | 'cacheStatus'>;

const AFTER_FAILURE = {
  failed: 'failed',
  again: 'retried',
  lost: 'lost',
} as const satisfies Record<FailureOutcome, Outcome>;

/** Counts the captures that this worker finishes, and the outcomes of its attempts. */
@Injectable()
export class CaptureMetrics implements OnModuleInit {
  private readonly ended = this.metrics.counter(WORKER_METRICS.ended);
  private readonly phases = this.metrics.histogram(WORKER_METRICS.phases);
  private readonly queueWait = this.metrics.histogram(WORKER_METRICS.queueWait, { lane: LANES });
  private readonly blockedRequests = this.metrics.counter(WORKER_METRICS.blockedRequests, {
    reason: BLOCK_REASONS,
  });
  private readonly cacheAnswers = this.metrics.counter(WORKER_METRICS.cacheAnswers, {
    status: CACHE_OUTCOMES,
  });
  private readonly attempts = this.metrics.counter(WORKER_METRICS.attempts, { outcome: OUTCOMES });
  private readonly storedBytes = this.metrics.counter(WORKER_METRICS.storedBytes);

  constructor(
    private readonly metrics: MetricsService,
    private readonly cache: JobCacheService,
  ) {}

  onModuleInit(): void {
    this.cache.onAnswered((status) => {
      this.cacheAnswers.inc({ status });
    });
  }

  /** Measures how long the capture has waited, when this is its first attempt. */
  started({ source, attempt, createdAt, startedAt }: Job): void {
    if (attempt > 1 || !startedAt) return;
    const waitedMs = Math.max(0, startedAt.getTime() - createdAt.getTime());
    this.queueWait.observe({ lane: LANE_OF[source] }, waitedMs / 1_000);
  }

  /** Counts what an attempt blocked, whether it succeeded or not. */
  blocked(requests: BlockedRequests): void {
    for (const reason of BLOCK_REASONS) this.blockedRequests.inc({ reason }, requests[reason]);
  }

  succeeded(job: Visited, timings: CaptureTimings, bytes: number): void {
    const { source, format } = job;
    this.visited(job);
    this.ended.inc({ status: 'succeeded', code: 'none', source, format });
    this.count('succeeded');
    this.storedBytes.inc(bytes);
    for (const [key, ms] of Object.entries(timings)) {
      this.phases.observe({ phase: key.replace(/_ms$/, '') }, ms / 1_000);
    }
  }

  failed(job: Visited, code: ErrorCode, outcome: FailureOutcome): void {
    if (outcome === 'failed') {
      this.visited(job);
      this.fail(job, code);
    }
    this.count(AFTER_FAILURE[outcome]);
  }

  /** Counts an attempt that ended without a result for the capture. */
  stopped(outcome: Extract<Outcome, 'lost' | 'canceled' | 'handed_back'>): void {
    this.count(outcome);
  }

  /** Counts the attempt of a dead worker, which this worker has detected. */
  abandoned(job: Ended, outcome: FailureOutcome): void {
    if (outcome === 'failed') this.fail(job, 'worker_lost');
    if (outcome !== 'lost') this.count('abandoned');
  }

  /** Counts a job that made its own visit although it asked for the cache. The API has counted synchronous captures. */
  private visited({ source, cacheKey, cacheStatus }: Visited): void {
    if (cacheKey === null || source === 'sync') return;
    this.cacheAnswers.inc({ status: cacheStatus ?? 'miss' });
  }

  private fail({ source, format }: Ended, code: ErrorCode): void {
    this.ended.inc({ status: 'failed', code, source, format });
  }

  private count(outcome: Outcome): void {
    this.attempts.inc({ outcome });
  }
}
