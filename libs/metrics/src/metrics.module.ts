import { Module } from '@nestjs/common';
import { Metrics } from './metrics.js';

/** Gives the registry of this process. */
@Module({ providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}
