import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { CaptureTimings } from '@app/capture';
import type { FailureOutcome, Job } from '@app/jobs';
import type { ErrorCode } from '@app/kernel';
import { MetricsService } from '@app/metrics';
import { WORKER_METRICS } from './worker-metrics.js';

/** The outcomes of an attempt. */
const OUTCOMES = ['succeeded', 'failed', 'retried', 'lost', 'canceled', 'handed_back', 'abandoned'] as const;
type Outcome = (typeof OUTCOMES)[number];

type Ended = Pick<Job, 'source' | 'format'>;

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
  private readonly attempts = this.metrics.counter(WORKER_METRICS.attempts);
  private readonly storedBytes = this.metrics.counter(WORKER_METRICS.storedBytes);

  constructor(private readonly metrics: MetricsService) {}

  /** Exports all outcomes with 0: a series that begins with its first event hides it from `increase()`. */
  onModuleInit(): void {
    for (const outcome of OUTCOMES) this.attempts.inc({ outcome }, 0);
  }

  succeeded({ source, format }: Ended, timings: CaptureTimings, bytes: number): void {
    this.ended.inc({ status: 'succeeded', code: 'none', source, format });
    this.count('succeeded');
    this.storedBytes.inc(bytes);
    for (const [key, ms] of Object.entries(timings)) {
      this.phases.observe({ phase: key.replace(/_ms$/, '') }, ms / 1_000);
    }
  }

  failed(job: Ended, code: ErrorCode, outcome: FailureOutcome): void {
    if (outcome === 'failed') this.fail(job, code);
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

  private fail({ source, format }: Ended, code: ErrorCode): void {
    this.ended.inc({ status: 'failed', code, source, format });
  }

  private count(outcome: Outcome): void {
    this.attempts.inc({ outcome });
  }
}
