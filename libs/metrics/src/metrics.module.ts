import { Module } from '@nestjs/common';
import { DependencyMetrics } from './dependency.metrics.js';
import { MetricsService } from './metrics.service.js';

/** Provides the registry of this process, and the state of its dependencies. */
@Module({ providers: [DependencyMetrics, MetricsService], exports: [DependencyMetrics, MetricsService] })
export class MetricsModule {}
