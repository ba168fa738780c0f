import { Injectable } from '@nestjs/common';
import {
  JobBacklogRepository,
  parseWorkerName,
  WorkerRegistryService,
  type AccountBacklog,
  type Backlog,
} from '@app/jobs';
import { Clock, withTimeout } from '@app/kernel';
import { ServiceHealthService } from './service-health.service.js';
import { describeVersion } from '../version/service-version.js';
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

  /** What an account may know of it: its own captures, and no workers. */
  async readFor(accountId: string): Promise<ServiceStatus> {
    const [status, own] = await Promise.all([
      this.read(),
      readInTime<AccountBacklog | null>(
        this.backlog.readOf(accountId),
        'reading the captures of an account',
        null,
      ),
    ]);
    return { ...status, workers: [], queue: own && toOwnQueue(own) };
  }

  private async collect(): Promise<ServiceStatus> {
    const [health, workers, backlog] = await Promise.all([
      this.health.read(),
      readInTime(this.registry.list(), 'reading the workers', []),
      readInTime<Backlog[] | null>(this.backlog.read(), 'reading the queue', null),
    ]);
    return {
      health,
      version: describeVersion(workers),
      workers: workers.map(toWorker),
      queue: backlog && toQueue(backlog),
    };
  }
}

function readInTime<T>(reading: Promise<T>, what: string, otherwise: T): Promise<T> {
  return withTimeout(reading, READ_TIMEOUT_MS, what).catch(() => otherwise);
}

function toOwnQueue({ waiting, running, ageS }: AccountBacklog): QueueStatus {
  return { waiting, active: running, oldest_waiting_s: ageS === null ? null : Math.round(ageS) };
}

function toWorker({ id: name, browser, slots, busy, healthy, state, seenAt }: Registered): WorkerStatus {
  const { id, startedAt } = parseWorkerName(name);
  const times = { started_at: startedAt?.toISOString() ?? null, seen_at: seenAt.toISOString() };
  return { id, browser, state, slots, busy, healthy, ...times };
}

function toQueue(backlog: readonly Backlog[]): QueueStatus {
  const waits = backlog.filter(({ state }) => state !== 'running');
  const runs = backlog.filter(({ state }) => state === 'running');
  const sum = (entries: readonly Backlog[]): number => entries.reduce((all, { jobs }) => all + jobs, 0);
  const waiting = sum(waits);
  const oldestS = Math.max(...waits.map((entry) => entry.oldestS));
  return { waiting, active: sum(runs), oldest_waiting_s: waiting === 0 ? null : Math.round(oldestS) };
}
