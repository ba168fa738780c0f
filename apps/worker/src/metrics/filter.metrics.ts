import { Injectable, type OnModuleInit } from '@nestjs/common';
import { FILTER_KINDS, FilterListsService } from '@app/filters';
import { MetricsService } from '@app/metrics';
import { WORKER_METRICS } from './worker-metrics.js';

/** Exports what this worker has of filter lists. */
@Injectable()
export class FilterMetrics implements OnModuleInit {
  private readonly rules = this.metrics.gauge(WORKER_METRICS.filterRules);
  private readonly errors = this.metrics.gauge(WORKER_METRICS.filterListErrors);

  constructor(
    private readonly metrics: MetricsService,
    private readonly filterLists: FilterListsService,
  ) {}

  onModuleInit(): void {
    this.metrics.beforeScrape(() => {
      const { lists, errors } = this.filterLists.state();
      for (const kind of FILTER_KINDS) {
        const ofKind = lists.filter((list) => list.kind === kind);
        this.rules.set(
          { kind },
          ofKind.reduce((sum, list) => sum + list.rules, 0),
        );
      }
      this.errors.set(errors.length);
    });
  }
}
