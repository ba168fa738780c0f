import { Module } from '@nestjs/common';
import { Exits } from '@app/browser';
import { Metrics } from '@app/metrics';
import { EgressProxies, OutboundModule } from '@app/outbound';
import { MeteredExits } from '../metrics/metered-exits.js';
import { WorkerMetricsModule } from '../metrics/worker-metrics.module.js';

/** Lets the browsers out through the egress proxy, and by no other way. */
@Module({
  imports: [OutboundModule, WorkerMetricsModule],
  providers: [
    {
      provide: Exits,
      inject: [EgressProxies, Metrics],
      useFactory: (proxies: EgressProxies, metrics: Metrics): Exits => new MeteredExits(proxies, metrics),
    },
  ],
  exports: [Exits],
})
export class EgressModule {}
