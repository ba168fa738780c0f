import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import { AppError, withTimeout } from '@app/kernel';
import { MetricsService } from '@app/metrics';
import { WebhookSecretsService } from '@app/webhooks';
import { WORKER_METRICS } from './worker-metrics.js';

const PING_MS = 2_000;

/** Exports whether this worker can use the database, has enough connections to it, and opens the secrets in it. */
@Injectable()
export class DatabaseMetrics implements OnModuleInit {
  private readonly waiting = this.metrics.gauge(WORKER_METRICS.poolWaiting);
  private readonly up = this.metrics.gauge(WORKER_METRICS.dependencyUp);

  constructor(
    private readonly metrics: MetricsService,
    private readonly database: DatabaseService,
    private readonly secrets: WebhookSecretsService,
  ) {}

  onModuleInit(): void {
    this.metrics.beforeScrape(async () => {
      this.waiting.set(this.database.waiting());
      const state = await this.database.state(PING_MS);
      const isUp = state === 'ok' || state === 'slow';
      this.up.set({ dependency: 'database' }, isUp ? 1 : 0);
      const opens = isUp ? await this.opensSecrets() : undefined;
      if (opens === undefined) this.up.remove({ dependency: 'secrets' });
      else this.up.set({ dependency: 'secrets' }, opens ? 1 : 0);
    });
  }

  /** Undefined when it cannot be known now. */
  private async opensSecrets(): Promise<boolean | undefined> {
    return withTimeout(this.secrets.check(), PING_MS, 'opening a secret').then(
      () => true,
      (error: unknown) => (error instanceof AppError ? false : undefined),
    );
  }
}
