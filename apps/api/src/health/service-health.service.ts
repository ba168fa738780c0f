import { Injectable, Logger } from '@nestjs/common';
import { HealthCheckService, HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { DatabaseService } from '@app/database';
import { withTimeout } from '@app/kernel';
import { JobQueue, WorkerRegistryService } from '@app/jobs';
import { Storage } from '@app/storage';
import type { HealthCheck, Health, WorkersHealthCheck } from './health.response.js';

/** A dependency that does not respond in this time is down: orchestrators do not wait longer for a probe either. */
const CHECK_TIMEOUT_MS = 1_000;

/** Checks the dependencies of the service. */
@Injectable()
export class ServiceHealthService {
  private readonly logger = new Logger(ServiceHealthService.name);

  constructor(
    private readonly checks: HealthCheckService,
    private readonly indicator: HealthIndicatorService,
    private readonly database: DatabaseService,
    private readonly queue: JobQueue,
    private readonly storage: Storage,
    private readonly workers: WorkerRegistryService,
  ) {}

  /** Never rejects. */
  async read(): Promise<Health> {
    const { details } = await this.checks
      .check([
        () => this.measured('database', () => this.database.ping()),
        () => this.measured('queue', () => this.queue.check()),
        () => this.measured('storage', () => this.storage.check()),
        () => this.measured('workers', () => this.workersAlive()),
      ])
      .catch((error: { getResponse(): { details: Details } }) => error.getResponse());
    const checks = details as unknown as Details;
    const all = {
      database: toCheck(checks.database),
      queue: toCheck(checks.queue),
      storage: toCheck(checks.storage),
      workers: toWorkersCheck(checks.workers),
    };
    return { status: statusOf(all), checks: all };
  }

  async isDatabaseUp(): Promise<boolean> {
    return withTimeout(this.database.ping(), CHECK_TIMEOUT_MS, 'checking the database').then(
      () => true,
      () => false,
    );
  }

  private async workersAlive(): Promise<object> {
    const workers = await this.workers.list();
    const facts = {
      count: workers.length,
      slots: workers.reduce((sum, { slots }) => sum + slots, 0),
      busy: workers.reduce((sum, { busy }) => sum + busy, 0),
    };
    if (facts.count === 0) throw new NoWorkerError();
    return facts;
  }

  /** The cause is only logged: the response is public, and causes contain addresses. */
  private async measured(key: string, check: () => Promise<object | void>): Promise<HealthIndicatorResult> {
    const session = this.indicator.check(key);
    const startedAt = performance.now();
    const latency = (): number => Math.round(performance.now() - startedAt);
    try {
      const facts = await withTimeout(check(), CHECK_TIMEOUT_MS, `checking the ${key}`);
      return session.up({ latency_ms: latency(), ...facts });
    } catch (error) {
      // Normal while the service starts, so no stack is logged.
      const isExpected = error instanceof NoWorkerError;
      const text = isExpected ? 'no worker is alive' : 'does not respond';
      this.logger.warn(isExpected ? {} : { err: error }, `health: ${key} is down: ${text}`);
      return session.down({ latency_ms: latency(), error: text });
    }
  }
}

class NoWorkerError extends Error {
  override readonly name = 'NoWorkerError';
}

type Detail = {
  status: 'up' | 'down';
  latency_ms: number;
  error?: string;
  count?: number;
  slots?: number;
  busy?: number;
};
type Details = Record<'database' | 'queue' | 'storage' | 'workers', Detail>;

function toCheck({ status, latency_ms, error }: Detail): HealthCheck {
  return { status: status === 'up' ? 'ok' : 'down', latency_ms, error: error ?? null };
}

function toWorkersCheck(detail: Detail): WorkersHealthCheck {
  const { count = 0, slots = 0, busy = 0 } = detail;
  return { ...toCheck(detail), count, slots, busy };
}

function statusOf(checks: Health['checks']): Health['status'] {
  if (checks.database.status === 'down') return 'down';
  return Object.values(checks).every(({ status }: HealthCheck) => status === 'ok') ? 'ok' : 'degraded';
}
