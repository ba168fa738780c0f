import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BrowserPoolService } from '@app/browser';
import { KNOWN_FEATURES } from '@app/capture';
import { FilterListsService } from '@app/filters';
import { LEASE_RENEWAL_MS, WorkerRegistryService } from '@app/jobs';
import { WorkerIdentity } from '../worker-identity.js';

/** The state is checked this often, and a change is reported. */
const CHECK_MS = 1_000;

/** Every heartbeat repeats the lists. */
const MAX_LISTS = 50;

/** Reports this worker to the registry while it runs captures: at each change, and regularly as a heartbeat. */
@Injectable()
export class HeartbeatService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(HeartbeatService.name);
  private timer: NodeJS.Timeout | undefined;
  private reporting: Promise<void> = Promise.resolve();
  private reported = '';
  private reportedAt = -Infinity;

  constructor(
    private readonly registry: WorkerRegistryService,
    private readonly pool: BrowserPoolService,
    private readonly worker: WorkerIdentity,
    private readonly filterLists: FilterListsService,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.report();
    this.timer = setInterval(() => {
      this.reporting = this.report();
    }, CHECK_MS);
    const { browser, sandbox, slots } = this.pool.state();
    this.logger.log({ browser, sandbox, slots }, 'worker is ready');
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    // A late report would register the worker again after it has left.
    await this.reporting;
    await this.registry.leave(this.worker.id).catch(() => undefined);
  }

  private async report(): Promise<void> {
    const { slots, busy, healthy, browser, sandbox } = this.pool.state();
    const filterLists = this.filterLists.state().lists.slice(0, MAX_LISTS);
    const report = {
      id: this.worker.id,
      slots,
      busy,
      healthy,
      browser,
      sandbox,
      filterLists,
      features: KNOWN_FEATURES,
    };
    const text = JSON.stringify(report);
    const now = performance.now();
    if (text === this.reported && now - this.reportedAt < LEASE_RENEWAL_MS) return;
    this.reported = text;
    this.reportedAt = now;
    try {
      await this.registry.report(report);
    } catch (error) {
      this.logger.warn({ err: error }, 'the worker could not send its heartbeat');
    }
  }
}
