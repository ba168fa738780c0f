import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import { MetricsService } from '@app/metrics';
import { WORKER_METRICS } from './worker-metrics.js';

/** Exports whether this worker has enough connections to the database. */
@Injectable()
export class DatabaseMetrics implements OnModuleInit {
  private readonly waiting = this.metrics.gauge(WORKER_METRICS.poolWaiting);

  constructor(
    private readonly metrics: MetricsService,
    private readonly database: DatabaseService,
  ) {}

  onModuleInit(): void {
    this.metrics.beforeScrape(() => {
      this.waiting.set(this.database.waiting());
    });
  }
}
