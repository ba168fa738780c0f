import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { asService } from '@app/database';
import { HealthHistoryRepository, type HealthChange } from '@app/health';
import { WorkerRegistryService } from '@app/jobs';
import { Clock } from '@app/kernel';
import { ServiceHealthService } from './service-health.service.js';

const PERIOD_MS = 15_000;

/** What the history says last is corrected after this long: the process that noted it may have ended. */
const CORRECTED_AFTER_MS = 300_000;

/** Changes that are kept in memory while the database is away. */
const MAX_PENDING = 100;

type Observed = Pick<HealthChange, 'status' | 'error'>;

/**
 * Probes the dependencies, and notes when one stops working or works again. What it sees while the database is away is noted
 * afterwards, with the times at which it was seen.
 */
@Injectable()
export class HealthHistoryService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(HealthHistoryService.name);
  private readonly seen = new Map<string, HealthChange['status']>();
  private pending: HealthChange[] = [];
  private timer: NodeJS.Timeout | undefined;
  private observing: Promise<void> = Promise.resolve();

  constructor(
    private readonly health: ServiceHealthService,
    private readonly workers: WorkerRegistryService,
    private readonly history: HealthHistoryRepository,
    private readonly clock: Clock,
  ) {}

  /** The first time is some seconds after the start, when the workers that start beside have reported. */
  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.observing = this.observe();
    }, PERIOD_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.observing;
  }

  /** Never rejects. */
  async observe(): Promise<void> {
    const found = await this.probe();
    const at = this.clock.now();
    for (const [dependency, { status, error }] of found) {
      if (this.seen.get(dependency) === status) continue;
      this.seen.set(dependency, status);
      this.pending = [...this.pending, { dependency, at, status, error }].slice(-MAX_PENDING);
    }
    if (found.get('database')?.status !== 'ok') return;
    try {
      await asService(() => this.note(found, at));
    } catch (err) {
      this.logger.warn({ err }, 'the history of health could not be written; it is tried again');
    }
  }

  /** While the database is away nothing is known of workers and secrets. */
  private async probe(): Promise<ReadonlyMap<string, Observed>> {
    const { database, queue, storage, ...others } = (await this.health.read()).checks;
    const isDown = database.status === 'down';
    const checks = { database, queue, storage, ...(isDown ? {} : others) };
    const found = Object.entries(checks).map(([name, { status, error }]): [string, Observed] => [
      name,
      { status, error: status === 'ok' ? null : error },
    ]);
    const names = isDown ? [] : await this.nameServers();
    return new Map([...found, ...names]);
  }

  /** Only workers look up the names of pages. */
  private async nameServers(): Promise<[string, Observed][]> {
    const workers = await asService(() => this.workers.list()).catch(() => []);
    if (workers.length === 0) return [];
    const away = workers.filter(({ outages }) => outages.includes('dns')).length;
    const error = away === 0 ? null : `no name server answers ${away} of ${workers.length} workers`;
    return [['dns', { status: away === 0 ? 'ok' : 'down', error }]];
  }

  private async note(found: ReadonlyMap<string, Observed>, at: Date): Promise<void> {
    const latest = new Map((await this.history.listLatest()).map((change) => [change.dependency, change]));
    for (const change of [...this.pending]) {
      const known = latest.get(change.dependency);
      if (known?.status !== change.status || known.at > change.at) await this.history.note(change);
      latest.set(change.dependency, change);
      this.pending = this.pending.filter((each) => each !== change);
    }
    for (const [dependency, observed] of found) {
      const known = latest.get(dependency);
      if (!known || known.status === observed.status) continue;
      const isOld = at.getTime() - known.at.getTime() >= CORRECTED_AFTER_MS;
      if (isOld) await this.history.note({ dependency, at, ...observed });
    }
  }
}
