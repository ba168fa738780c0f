import { Injectable, Logger } from '@nestjs/common';
import { Lookup } from './lookup.js';
import { MetricsService } from './metrics.service.js';
import { SHARED_METRICS } from './shared-metrics.js';

/** What a process depends on; the values of the label `dependency`. */
export const DEPENDENCIES = ['database', 'queue', 'store', 'dns', 'secrets'] as const;
export type Dependency = (typeof DEPENDENCIES)[number];

/**
 * `capture_dependency_up`: whether each dependency of this process works, as this process sees it. A dependency that nobody
 * watches has no series.
 */
@Injectable()
export class DependencyMetrics {
  private readonly logger = new Logger(DependencyMetrics.name);
  private readonly up = this.metrics.gauge(SHARED_METRICS.dependencyUp);
  private readonly known = new Map<Dependency, boolean>();

  constructor(private readonly metrics: MetricsService) {}

  /**
   * Checks a dependency at each scrape. It is down when `check` rejects, and when it has not settled after 2 s. A check that
   * hangs is not started again before it has settled.
   */
  watch(dependency: Dependency, check: () => Promise<unknown>): void {
    const attempt = async (): Promise<{ readonly cause?: unknown }> => {
      try {
        await check();
        return {};
      } catch (cause) {
        return { cause };
      }
    };
    const lookup = new Lookup(`an answer of the ${dependency} in time`, attempt);
    this.metrics.beforeScrape(async () => {
      const outcome = await lookup.find();
      this.set(dependency, outcome !== undefined && !('cause' in outcome), outcome?.cause);
    });
  }

  /** Sets the state of a dependency that the process learns by its work. Only a change is logged. */
  set(dependency: Dependency, isUp: boolean, cause?: unknown): void {
    this.up.set({ dependency }, isUp ? 1 : 0);
    const wasUp = this.known.get(dependency) ?? true;
    this.known.set(dependency, isUp);
    if (wasUp && !isUp) this.logger.warn({ err: cause }, `the ${dependency} does not work`);
    if (!wasUp && isUp) this.logger.log(`the ${dependency} works again`);
  }
}
