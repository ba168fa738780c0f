import { Injectable, type OnModuleInit } from '@nestjs/common';
import { MetricsService } from '@app/metrics';
import { API_METRICS } from '../metrics/api-metrics.js';
import { canServe, ServiceHealthService } from './service-health.service.js';

/** Exports whether the API can use what it depends on. */
@Injectable()
export class DependencyMetrics implements OnModuleInit {
  private readonly up = this.metrics.gauge(API_METRICS.dependencyUp);

  constructor(
    private readonly metrics: MetricsService,
    private readonly health: ServiceHealthService,
  ) {}

  onModuleInit(): void {
    this.metrics.beforeScrape(async () => {
      const isUp = canServe(await this.health.databaseState());
      this.up.set({ dependency: 'database' }, isUp ? 1 : 0);
      // Unknown without a database.
      if (!isUp) this.up.remove({ dependency: 'secrets' });
      else this.up.set({ dependency: 'secrets' }, (await this.health.canOpenSecrets()) ? 1 : 0);
    });
  }
}
