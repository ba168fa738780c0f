import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import { AppError, withTimeout } from '@app/kernel';
import { DependencyMetrics, MetricsService } from '@app/metrics';
import { WebhookSecretsService } from '@app/webhooks';
import { WORKER_METRICS } from './worker-metrics.js';

/** Less than a scrape waits for a dependency. */
const SECRETS_MS = 1_000;

/** Exports whether this worker has enough connections to the database, and opens the secrets in it. */
@Injectable()
export class DatabaseMetrics implements OnModuleInit {
  private readonly waiting = this.metrics.gauge(WORKER_METRICS.poolWaiting);

  constructor(
    private readonly metrics: MetricsService,
    private readonly dependencies: DependencyMetrics,
    private readonly database: DatabaseService,
    private readonly secrets: WebhookSecretsService,
  ) {}

  onModuleInit(): void {
    this.metrics.beforeScrape(() => {
      this.waiting.set(this.database.waiting());
    });
    this.dependencies.watch('secrets', () => this.openSecrets());
  }

  /** A database that does not respond says nothing about the key. */
  private async openSecrets(): Promise<void> {
    try {
      await withTimeout(this.secrets.check(), SECRETS_MS, 'opening a secret');
    } catch (error) {
      if (error instanceof AppError) throw error;
    }
  }
}
