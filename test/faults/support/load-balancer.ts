import { setTimeout as wait } from 'node:timers/promises';
import type { Member, World } from './world.js';

const CALLERS = 8;
const PROBE_EVERY_MS = 50;

/**
 * Callers behind a load balancer: they use the APIs in turn, over connections that stay open, and skip those whose
 * readiness probe fails.
 */
export class LoadBalancer {
  private readonly ready = new Set<Member>();
  private readonly answers = new Map<Member, number>();
  private readonly failures: string[] = [];
  private readonly over = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly world: World,
    private readonly apis: readonly Member[],
  ) {}

  /** Starts calling the APIs that run now. */
  static before(world: World): LoadBalancer {
    const balancer = new LoadBalancer(world, world.apis);
    balancer.running = Promise.all([
      balancer.probe(),
      ...Array.from({ length: CALLERS }, () => balancer.call()),
    ]);
    return balancer;
  }

  isReady(api: Member): boolean {
    return this.ready.has(api);
  }

  answeredBy(api: Member): number {
    return this.answers.get(api) ?? 0;
  }

  async stop(): Promise<{ answered: number; failures: readonly string[] }> {
    this.over.abort();
    await this.running;
    return {
      answered: [...this.answers.values()].reduce((sum, count) => sum + count, 0),
      failures: this.failures,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  private async probe(): Promise<void> {
    while (!this.over.signal.aborted) {
      for (const api of this.apis) {
        const isReady = await fetch(`${api.url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
        if (isReady) this.ready.add(api);
        else this.ready.delete(api);
      }
      await wait(PROBE_EVERY_MS);
    }
  }

  private async call(): Promise<void> {
    for (let turn = 0; !this.over.signal.aborted; turn += 1) {
      const candidates = this.apis.filter((api) => this.ready.has(api));
      const api = candidates[turn % candidates.length];
      if (api) await this.ask(api);
      else await wait(PROBE_EVERY_MS);
    }
  }

  private async ask(api: Member): Promise<void> {
    try {
      const response = await this.world.clientOf(this.world.firstKey, api).get('/v1/usage');
      await response.json();
      if (response.status !== 200) this.failures.push(String(response.status));
      this.answers.set(api, this.answeredBy(api) + 1);
    } catch (error) {
      this.failures.push(String(error instanceof Error ? (error.cause ?? error) : error));
    }
  }
}
