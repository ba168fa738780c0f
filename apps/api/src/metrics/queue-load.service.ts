import { Injectable, type OnModuleInit } from '@nestjs/common';
import { JobBacklogRepository, RunnableJobsService, WorkerRegistryService } from '@app/jobs';
import { AppError, Clock } from '@app/kernel';
import { Lookup, MetricsService } from '@app/metrics';
import type { QUEUE_LOAD } from './api-metrics.js';

/** All are counts of the whole service, the same from every API. */
type QueueLoad = Readonly<Record<keyof typeof QUEUE_LOAD, number>>;

/** The path on the metrics port. */
const PATH = '/metrics/queue';

/** An answer is given again for this long, however often it is asked for. */
const CACHE_MS = 3_000;

/** While the database is unavailable, the last answer is given for this long; a scaler must not act on an older one. */
const FRESH_MS = 15_000;

/** `GET /metrics/queue`: the load as JSON for autoscalers, such as the `metrics-api` scaler of KEDA. */
@Injectable()
export class QueueLoadService implements OnModuleInit {
  private readonly lookUp = new Lookup('the load of the queue', () => this.measure());
  private last: { readonly load: QueueLoad; readonly readAt: number } | undefined;

  constructor(
    private readonly metrics: MetricsService,
    private readonly backlog: JobBacklogRepository,
    private readonly runnable: RunnableJobsService,
    private readonly registry: WorkerRegistryService,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.metrics.serveJson(PATH, () => this.read());
  }

  /**
   * As of now, or of some seconds ago.
   *
   * @throws AppError `unavailable` when the database is unavailable and the last answer is old
   */
  async read(): Promise<QueueLoad> {
    const known = this.knownWithin(CACHE_MS);
    if (known) return known;
    const load = await this.lookUp.find();
    if (load) this.last = { load, readAt: this.now() };
    const fresh = this.knownWithin(FRESH_MS);
    if (!fresh) throw new AppError('unavailable', { detail: 'The load of the queue cannot be read.' });
    return fresh;
  }

  private async measure(): Promise<QueueLoad> {
    // One after the other: a reading uses one connection of the pool.
    const { dispatched, running } = await this.backlog.readInFlight();
    const runnable = await this.runnable.count();
    const workers = await this.registry.listTaking();
    const queued = dispatched + runnable;
    const slots = workers.reduce((sum, worker) => sum + worker.slots, 0);
    return { queued, running, unfinished: queued + running, slots, workers: workers.length };
  }

  private knownWithin(ms: number): QueueLoad | undefined {
    // Also when the clock has been set back.
    return this.last && Math.abs(this.now() - this.last.readAt) < ms ? this.last.load : undefined;
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}
