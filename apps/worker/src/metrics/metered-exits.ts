import type { Exit, Exits } from '@app/browser';
import type { Metrics } from '@app/metrics';
import { WORKER_METRICS } from './worker-metrics.js';

/** Exits whose traffic is counted when they close. */
export class MeteredExits implements Exits {
  private readonly requests = this.metrics.counter(WORKER_METRICS.egressRequests);
  private readonly refused = this.metrics.counter(WORKER_METRICS.egressRefused);
  private readonly bytes = this.metrics.counter(WORKER_METRICS.egressBytes);

  constructor(
    private readonly exits: Exits,
    private readonly metrics: Metrics,
  ) {}

  async open(): Promise<Exit> {
    const exit = await this.exits.open();
    let isCounted = false;
    return {
      proxyUrl: exit.proxyUrl,
      credential: exit.credential,
      usage: () => exit.usage(),
      netErrorOf: (url) => exit.netErrorOf(url),
      close: async () => {
        await exit.close();
        // Closing again is allowed, counting again is not.
        if (!isCounted) this.count(exit);
        isCounted = true;
      },
    };
  }

  private count(exit: Exit): void {
    const { requests, blocked, bytes } = exit.usage();
    this.requests.inc(requests);
    this.refused.inc(blocked);
    this.bytes.inc(bytes);
  }
}
