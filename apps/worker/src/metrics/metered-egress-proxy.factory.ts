import type { Egress, EgressProxyFactory } from '@app/browser';
import type { MetricsService } from '@app/metrics';
import { WORKER_METRICS } from './worker-metrics.js';

/** Opens egresses whose traffic is counted when they close. */
export class MeteredEgressProxyFactory implements EgressProxyFactory {
  private readonly requests = this.metrics.counter(WORKER_METRICS.egressRequests);
  private readonly refused = this.metrics.counter(WORKER_METRICS.egressRefused);
  private readonly bytes = this.metrics.counter(WORKER_METRICS.egressBytes);

  constructor(
    private readonly egressProxies: EgressProxyFactory,
    private readonly metrics: MetricsService,
  ) {}

  async open(): Promise<Egress> {
    const egress = await this.egressProxies.open();
    let isCounted = false;
    return {
      proxyUrl: egress.proxyUrl,
      credential: egress.credential,
      usage: () => egress.usage(),
      screen: (isScreened) => {
        egress.screen(isScreened);
      },
      netErrorOf: (url) => egress.netErrorOf(url),
      restart: () => {
        this.count(egress);
        egress.restart();
      },
      close: async () => {
        await egress.close();
        // It may be closed twice, but is counted once.
        if (!isCounted) this.count(egress);
        isCounted = true;
      },
    };
  }

  private count(egress: Egress): void {
    const { requests, blocked, bytes } = egress.usage();
    this.requests.inc(requests);
    this.refused.inc(blocked);
    this.bytes.inc(bytes);
  }
}
