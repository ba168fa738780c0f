import { setTimeout as wait } from 'node:timers/promises';
import { json, type Client } from '../../support/client.js';
import type { Member, World } from './world.js';

const PROBE_EVERY_MS = 50;

/** What a caller does again and again. Rejects when the answer is not what it expects. */
export type Call = (client: Client) => Promise<unknown>;

const EIGHT_READERS: readonly Call[] = Array.from({ length: 8 }, () => readUsage);

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

  private constructor(private readonly world: World) {}

  /** Starts a caller for each of `calls`. */
  static before(world: World, calls = EIGHT_READERS): LoadBalancer {
    const balancer = new LoadBalancer(world);
    balancer.running = Promise.all([balancer.probe(), ...calls.map((call) => balancer.repeat(call))]);
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
      const { apis } = this.world;
      for (const api of this.ready) if (!apis.includes(api)) this.ready.delete(api);
      for (const api of apis) {
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

  private async repeat(call: Call): Promise<void> {
    for (let turn = 0; !this.over.signal.aborted; turn += 1) {
      const candidates = [...this.ready];
      const api = candidates[turn % candidates.length];
      if (!api) {
        await wait(PROBE_EVERY_MS);
        continue;
      }
      try {
        await call(this.world.clientOf(this.world.firstKey, api));
        this.answers.set(api, this.answeredBy(api) + 1);
      } catch (error) {
        this.failures.push(String(error instanceof Error ? (error.cause ?? error) : error));
      }
    }
  }
}

async function readUsage(client: Client): Promise<void> {
  const response = await client.get('/v1/usage');
  if (response.status !== 200) throw new Error(String(response.status));
  await json(response);
}
