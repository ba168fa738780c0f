import { Injectable } from '@nestjs/common';
import { JobBacklogRepository, WorkerRegistryService, type Backlog } from '@app/jobs';
import { Clock, isId, withTimeout } from '@app/kernel';
import { ServiceHealthService } from './service-health.service.js';
import { describeVersion } from '../version/build-info.js';
import type { QueueStatus, ServiceStatus, WorkerStatus } from './status.response.js';

/** Pages of several operators may ask at once. */
const CACHE_MS = 1_000;
/** As long as the checks of the dependencies, which run beside. */
const READ_TIMEOUT_MS = 1_000;

type Registered = Awaited<ReturnType<WorkerRegistryService['list']>>[number];

/** What an operator wants to know at a glance. It has no host names and no addresses. */
@Injectable()
export class ServiceStatusService {
  private last: { readonly status: Promise<ServiceStatus>; readonly readAt: number } | undefined;

  constructor(
    private readonly health: ServiceHealthService,
    private readonly registry: WorkerRegistryService,
    private readonly backlog: JobBacklogRepository,
    private readonly clock: Clock,
  ) {}

  /** As of now, or of a second ago. */
  read(): Promise<ServiceStatus> {
    const now = this.clock.now().getTime();
    // Also when the clock has been set back.
    if (!this.last || Math.abs(now - this.last.readAt) >= CACHE_MS) {
      this.last = { status: this.collect(), readAt: now };
    }
    return this.last.status;
  }

  private async collect(): Promise<ServiceStatus> {
    const within = <T>(reading: Promise<T>, what: string, otherwise: T): Promise<T> =>
      withTimeout(reading, READ_TIMEOUT_MS, what).catch(() => otherwise);
    const [health, workers, backlog] = await Promise.all([
      this.health.read(),
      within(this.registry.list(), 'reading the workers', []),
      within<Backlog[] | null>(this.backlog.read(), 'reading the queue', null),
    ]);
    return {
      health,
      version: describeVersion(workers),
      workers: workers.map(toWorker),
      queue: backlog && toQueue(backlog),
    };
  }
}

/** The id of a worker ends with a UUID of version 7, which begins with the time of its start; the rest names its host. */
function toWorker({ id: name, browser, slots, busy, healthy, seenAt }: Registered): WorkerStatus {
  const id = name.slice(name.lastIndexOf(':') + 1);
  const startedAt = isId(id) ? new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)) : null;
  const times = { started_at: startedAt?.toISOString() ?? null, seen_at: seenAt.toISOString() };
  return { id, browser, slots, busy, healthy, ...times };
}

function toQueue(backlog: readonly Backlog[]): QueueStatus {
  const waits = backlog.filter(({ state }) => state !== 'running');
  const runs = backlog.filter(({ state }) => state === 'running');
  const sum = (entries: readonly Backlog[]): number => entries.reduce((all, { jobs }) => all + jobs, 0);
  const waiting = sum(waits);
  const oldestS = Math.max(...waits.map((entry) => entry.oldestS));
  return { waiting, active: sum(runs), oldest_waiting_s: waiting === 0 ? null : Math.round(oldestS) };
}
