import { Injectable, type OnModuleInit } from '@nestjs/common';
import { CACHE_OUTCOMES, JobCacheService, type CacheStatus, type CancelReason } from '@app/jobs';
import { MetricsService } from '@app/metrics';
import { API_METRICS } from './api-metrics.js';

/** Why synchronous captures are canceled. */
const ABANDONED = ['client_disconnected', 'overloaded'] as const satisfies readonly CancelReason[];

/** Metrics of the captures that this process accepts and waits for. */
@Injectable()
export class CaptureMetrics implements OnModuleInit {
  private readonly acceptance = this.metrics.histogram(API_METRICS.acceptance);
  private readonly callers = this.metrics.gauge(API_METRICS.callers);
  private readonly streams = this.metrics.gauge(API_METRICS.streams);
  private readonly cacheAnswers = this.metrics.counter(API_METRICS.cacheAnswers, { status: CACHE_OUTCOMES });
  private readonly abandoned = this.metrics.counter(API_METRICS.abandoned, { reason: ABANDONED });

  constructor(
    private readonly metrics: MetricsService,
    private readonly cache: JobCacheService,
  ) {}

  onModuleInit(): void {
    this.cache.onAnswered((status) => {
      this.answeredBy(status);
    });
  }

  /** Settles as `accept` does, and measures it if it was successful. */
  async accepting<T>(accept: () => Promise<T>): Promise<T> {
    const end = this.acceptance.startTimer();
    const accepted = await accept();
    end();
    return accepted;
  }

  /** Settles as `wait` does, and counts as a waiting caller until then. */
  async waiting<T>(wait: () => Promise<T>): Promise<T> {
    return countWhile(this.callers, wait);
  }

  /** Settles as `stream` does, and counts as an open stream until then. */
  async streaming<T>(stream: () => Promise<T>): Promise<T> {
    return countWhile(this.streams, stream);
  }

  /** Counts a synchronous capture that asked for the cache, and a job that the cache answered at its acceptance. */
  answeredBy(status: CacheStatus | 'miss'): void {
    this.cacheAnswers.inc({ status });
  }

  abandonedFor(reason: CancelReason): void {
    this.abandoned.inc({ reason });
  }
}

async function countWhile<T>(gauge: { inc(): void; dec(): void }, work: () => Promise<T>): Promise<T> {
  gauge.inc();
  try {
    return await work();
  } finally {
    gauge.dec();
  }
}
