import { Injectable, Logger } from '@nestjs/common';
import { DatabaseService, isUsable, STATE_TEXTS, type DatabaseState } from '@app/database';
import { AppError, withTimeout } from '@app/kernel';
import { JobQueue, takesCaptures, WorkerRegistryService } from '@app/jobs';
import { Storage } from '@app/storage';
import type { HealthCheck, Health, WorkersHealthCheck } from './health.response.js';
import { SecretsHealthService } from './secrets-health.service.js';

/** A dependency that does not respond in this time is down: orchestrators do not wait longer for a probe either. */
const CHECK_TIMEOUT_MS = 1_000;

/** Checks the dependencies of the service. */
@Injectable()
export class ServiceHealthService {
  private readonly logger = new Logger(ServiceHealthService.name);

  constructor(
    private readonly database: DatabaseService,
    private readonly queue: JobQueue,
    private readonly storage: Storage,
    private readonly workers: WorkerRegistryService,
    private readonly secrets: SecretsHealthService,
  ) {}

  /** Never rejects. */
  async read(): Promise<Health> {
    const [database, queue, storage, workers, secrets] = await Promise.all([
      this.checkDatabase(),
      this.measured('queue', () => this.queue.check()),
      this.measured('storage', () => this.storage.check()),
      this.checkWorkers(),
      this.measured('secrets', () => this.secrets.check()),
    ]);
    const checks = { database, queue, storage, workers, secrets };
    return { status: statusOf(checks), checks };
  }

  /** Never rejects. */
  databaseState(): Promise<DatabaseState> {
    return this.database.state(CHECK_TIMEOUT_MS);
  }

  /** Whether SECRETS_KEY opens the secrets in the database, as far as they can be read. Never rejects. */
  async canOpenSecrets(): Promise<boolean> {
    const opening = withTimeout(this.secrets.check(), CHECK_TIMEOUT_MS, 'opening a secret');
    return opening.then(
      () => true,
      (error: unknown) => !(error instanceof AppError),
    );
  }

  private async checkDatabase(): Promise<HealthCheck> {
    const latency = stopwatch();
    const state = await this.databaseState();
    const error = STATE_TEXTS[state];
    if (error !== null) this.logger.warn(`health: the database ${error}`);
    return { status: isUsable(state) ? 'ok' : 'down', latency_ms: latency(), error };
  }

  private async checkWorkers(): Promise<WorkersHealthCheck> {
    let facts = { count: 0, slots: 0, busy: 0 };
    const check = await this.measured('workers', async () => {
      const workers = await this.workers.list();
      facts = {
        count: workers.length,
        slots: workers.reduce((sum, { slots }) => sum + slots, 0),
        busy: workers.reduce((sum, { busy }) => sum + busy, 0),
      };
      if (facts.count === 0) throw new NoWorkerError('no worker is alive');
      if (!workers.some(takesCaptures)) throw new NoWorkerError('every worker drains');
    });
    return { ...check, ...facts };
  }

  /** The cause is only logged: the response is public, and causes contain addresses. */
  private async measured(key: string, check: () => Promise<void>): Promise<HealthCheck> {
    const latency = stopwatch();
    try {
      await withTimeout(check(), CHECK_TIMEOUT_MS, `checking the ${key}`);
      return { status: 'ok', latency_ms: latency(), error: null };
    } catch (error) {
      const text = textOf(error);
      // Normal while the service starts, so no stack is logged.
      this.logger.warn(
        error instanceof NoWorkerError ? {} : { err: error },
        `health: ${key} is down: ${text}`,
      );
      return { status: 'down', latency_ms: latency(), error: text };
    }
  }
}

class NoWorkerError extends Error {
  override readonly name = 'NoWorkerError';
}

function textOf(error: unknown): string {
  if (error instanceof NoWorkerError) return error.message;
  if (error instanceof AppError && error.code === 'secrets_unreadable')
    return 'SECRETS_KEY is not the one that the secrets in the database were encrypted with';
  return 'does not respond';
}

function stopwatch(): () => number {
  const startedAt = performance.now();
  return () => Math.round(performance.now() - startedAt);
}

function statusOf(checks: Health['checks']): Health['status'] {
  if (checks.database.status === 'down') return 'down';
  return Object.values(checks).every(({ error }: HealthCheck) => error === null) ? 'ok' : 'degraded';
}
