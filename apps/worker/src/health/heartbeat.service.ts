import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BrowserPoolService } from '@app/browser';
import { KNOWN_FEATURES } from '@app/capture';
import { FilterListsService } from '@app/filters';
import { LEASE_RENEWAL_MS, WorkerRegistryService } from '@app/jobs';
import { readBuildInfo } from '@app/process';
import { LanesService } from '../captures/lanes.service.js';
import { WorkerIdentity } from '../worker-identity.js';

/** The state is checked this often, and a change is reported. */
const CHECK_MS = 1_000;

/** Every heartbeat repeats the lists. */
const MAX_LISTS = 50;

const { version: VERSION } = readBuildInfo(import.meta.dirname);

/**
 * Reports this worker to the registry while it runs captures: at each change, and regularly as a heartbeat. The answer says whether
 * an operator wants it to drain.
 */
@Injectable()
export class HeartbeatService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(HeartbeatService.name);
  private timer: NodeJS.Timeout | undefined;
  private reporting: Promise<void> = Promise.resolve();
  private reported = '';
  private reportedAt = -Infinity;
  private shallDrain = false;

  constructor(
    private readonly registry: WorkerRegistryService,
    private readonly pool: BrowserPoolService,
    private readonly worker: WorkerIdentity,
    private readonly filterLists: FilterListsService,
    private readonly lanes: LanesService,
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
    const report = this.describe();
    const text = JSON.stringify(report);
    const now = performance.now();
    if (text === this.reported && now - this.reportedAt < LEASE_RENEWAL_MS) return;
    this.reported = text;
    this.reportedAt = now;
    try {
      this.shallDrain = await this.registry.report({ ...report, drain: this.shallDrain });
      this.lanes.setDraining(this.shallDrain);
    } catch (error) {
      this.logger.warn({ err: error }, 'the worker could not send its heartbeat');
    }
  }

  private describe() {
    const { slots, busy, healthy, browser, sandbox } = this.pool.state();
    return {
      id: this.worker.id,
      version: VERSION,
      slots,
      busy,
      healthy,
      browser,
      sandbox,
      filterLists: this.filterLists.state().lists.slice(0, MAX_LISTS),
      features: KNOWN_FEATURES,
      state: this.lanes.state,
      outages: this.lanes.outages,
    };
  }
}
