import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { BrowserPool } from '@app/browser';
import { LEASE_RENEWAL_MS, WorkerRegistry } from '@app/jobs';
import { WorkerIdentity } from '../worker-identity.js';

/** Reports this worker to the registry for as long as it takes captures. */
@Injectable()
export class Presence implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(Presence.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly registry: WorkerRegistry,
    private readonly pool: BrowserPool,
    private readonly worker: WorkerIdentity,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.report();
    this.timer = setInterval(() => void this.report(), LEASE_RENEWAL_MS);
    const { browser, sandbox, slots } = this.pool.state();
    this.logger.log({ browser, sandbox, slots }, 'worker is ready');
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.registry.leave(this.worker.id).catch(() => undefined);
  }

  private async report(): Promise<void> {
    const { slots, busy, healthy, browser, sandbox } = this.pool.state();
    try {
      await this.registry.report({ id: this.worker.id, slots, busy, healthy, browser, sandbox });
    } catch (error) {
      this.logger.warn({ err: error }, 'the worker could not report itself');
    }
  }
}
