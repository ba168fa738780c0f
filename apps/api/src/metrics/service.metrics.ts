import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  BatchBacklogRepository,
  UNFINISHED,
  type Backlog as BatchBacklog,
  type BatchStatus,
} from '@app/bulk';
import { DatabaseService } from '@app/database';
import { JobBacklogRepository, WorkerRegistryService, type Backlog } from '@app/jobs';
import { Lookup, MetricsService } from '@app/metrics';
import { WebhooksService, type Backlog as WebhookBacklog } from '@app/webhooks';
import { API_METRICS } from './api-metrics.js';

/** A database that takes longer is slow: it is up, and the values are missing. */
const PING_MS = 2_000;

/** The final states of batches. */
const ENDED = ['completed', 'canceled'] as const satisfies readonly BatchStatus[];

type Worker = Awaited<ReturnType<WorkerRegistryService['list']>>[number];

/**
 * The state of the whole service, read from the database at each scrape. A value that cannot be read is missing rather
 * than stale: a constant backlog would look healthy.
 */
@Injectable()
export class ServiceMetrics implements OnModuleInit {
  private readonly databaseUp = this.metrics.gauge(API_METRICS.databaseUp);
  private readonly jobs = this.metrics.gauge(API_METRICS.jobs);
  private readonly oldestJob = this.metrics.gauge(API_METRICS.oldestJob);
  private readonly batches = this.metrics.gauge(API_METRICS.batches);
  private readonly endedBatches = this.metrics.counter(API_METRICS.endedBatches, { status: ENDED });
  private readonly unannounced = this.metrics.gauge(API_METRICS.unannouncedBatches);
  private readonly poolWaiting = this.metrics.gauge(API_METRICS.poolWaiting);
  private readonly workers = this.metrics.gauge(API_METRICS.workers);
  private readonly slots = this.metrics.gauge(API_METRICS.slots);
  private readonly busySlots = this.metrics.gauge(API_METRICS.busySlots);
  private readonly healthySlots = this.metrics.gauge(API_METRICS.healthySlots);
  private readonly pendingWebhooks = this.metrics.gauge(API_METRICS.webhooks);
  private readonly oldestWebhook = this.metrics.gauge(API_METRICS.oldestWebhook);

  private readonly lookUpJobs = new Lookup('the unfinished captures', () => this.backlog.read());
  private readonly lookUpBatches = new Lookup('the unfinished batches', () => this.batchBacklog.read());
  private readonly lookUpEndedBatches = new Lookup('the batches that ended', () => this.countEndedBatches());
  private readonly lookUpWorkers = new Lookup('the workers', () => this.registry.list());
  private readonly lookUpWebhooks = new Lookup('the webhooks', () => this.webhooks.backlog());

  /** The end of the last period in which ended batches were counted. */
  private countedUntil: Date | null = null;

  constructor(
    private readonly metrics: MetricsService,
    private readonly database: DatabaseService,
    private readonly backlog: JobBacklogRepository,
    private readonly batchBacklog: BatchBacklogRepository,
    private readonly registry: WorkerRegistryService,
    private readonly webhooks: WebhooksService,
  ) {}

  onModuleInit(): void {
    this.metrics.beforeScrape(async () => {
      this.poolWaiting.set(this.database.waiting());
      const state = await this.database.state(PING_MS);
      this.databaseUp.set(state === 'down' ? 0 : 1);
      const isUp = state === 'ok';
      // Sequentially, and skipped during an outage: a scrape uses one connection of the pool.
      this.showJobs(isUp ? await this.lookUpJobs.find() : undefined);
      this.showBatches(isUp ? await this.lookUpBatches.find() : undefined);
      if (isUp) await this.lookUpEndedBatches.find();
      this.showWorkers(isUp ? await this.lookUpWorkers.find() : undefined);
      this.showWebhooks(isUp ? await this.lookUpWebhooks.find() : undefined);
    });
  }

  private showJobs(backlog: readonly Backlog[] = []): void {
    this.jobs.reset();
    this.oldestJob.reset();
    for (const { lane, state, jobs, oldestS } of backlog) {
      this.jobs.set({ lane, state }, jobs);
      this.oldestJob.set({ lane, state }, oldestS);
    }
  }

  private showBatches(backlog?: BatchBacklog): void {
    this.batches.reset();
    for (const status of backlog ? UNFINISHED : []) this.batches.set({ status }, backlog?.[status] ?? 0);
    show(this.unannounced, backlog?.unannounced);
  }

  private async countEndedBatches(): Promise<void> {
    const { until, ...counts } = await this.batchBacklog.readEnded(this.countedUntil);
    for (const status of ENDED) this.endedBatches.inc({ status }, counts[status]);
    this.countedUntil = until;
  }

  private showWorkers(workers?: readonly Worker[]): void {
    const sum = (of: 'slots' | 'busy' | 'healthy') => workers?.reduce((total, each) => total + each[of], 0);
    show(this.workers, workers?.length);
    show(this.slots, sum('slots'));
    show(this.busySlots, sum('busy'));
    show(this.healthySlots, sum('healthy'));
  }

  private showWebhooks(backlog?: WebhookBacklog): void {
    show(this.pendingWebhooks, backlog?.pending);
    show(this.oldestWebhook, backlog?.oldestDueS);
  }
}

/** Removes an unknown value: a gauge that is reset would report 0. */
function show(gauge: { set(value: number): void; remove(): void }, value: number | undefined): void {
  if (value === undefined) gauge.remove();
  else gauge.set(value);
}
