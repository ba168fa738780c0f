import { Module } from '@nestjs/common';
import { EgressProxyFactory } from '@app/browser';
import { MetricsService } from '@app/metrics';
import { GuardedEgressProxyFactory, OutboundModule } from '@app/outbound';
import { MeteredEgressProxyFactory } from '../metrics/metered-egress-proxy.factory.js';
import { WorkerMetricsModule } from '../metrics/worker-metrics.module.js';

/** Lets the browsers out through the egress proxy, and by no other way. */
@Module({
  imports: [OutboundModule, WorkerMetricsModule],
  providers: [
    {
      provide: EgressProxyFactory,
      inject: [GuardedEgressProxyFactory, MetricsService],
      useFactory: (proxies: GuardedEgressProxyFactory, metrics: MetricsService): EgressProxyFactory =>
        new MeteredEgressProxyFactory(proxies, metrics),
    },
  ],
  exports: [EgressProxyFactory],
})
export class EgressModule {}
