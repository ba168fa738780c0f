import { Module } from '@nestjs/common';
import { MetricsService } from './metrics.service.js';

/** Provides the registry of this process. */
@Module({ providers: [MetricsService], exports: [MetricsService] })
export class MetricsModule {}
