import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { DatabaseService, isUsable, STATE_TEXTS } from '@app/database';
import { JobQueue } from '@app/jobs';
import { withTimeout } from '@app/kernel';
import { DependencyMetrics } from '@app/metrics';
import { WatchedResolver } from '@app/outbound';
import { Storage } from '@app/storage';

/** What does not answer in this time counts as down: the caller of a probe waits no longer either. */
const CHECK_TIMEOUT_MS = 1_000;

/** Room for the profiles of browsers and for what pages load. */
const MIN_FREE_BYTES = 500e6;

/** Checks the services that a worker needs to run captures. */
@Injectable()
export class WorkerHealthService implements OnModuleInit {
  constructor(
    private readonly indicator: HealthIndicatorService,
    private readonly database: DatabaseService,
    private readonly queue: JobQueue,
    private readonly storage: Storage,
    private readonly dependencies: DependencyMetrics,
    private readonly names: WatchedResolver,
  ) {}

  onModuleInit(): void {
    this.dependencies.watch('database', async () => {
      const state = await this.database.state(CHECK_TIMEOUT_MS);
      if (!isUsable(state)) throw new Error(`The state of the database is ${state}.`);
    });
    this.dependencies.watch('queue', () => this.queue.check());
    this.dependencies.watch('store', () => this.storage.check());
    this.dependencies.watch('dns', () => this.names.answers());
  }

  async databaseAnswers(): Promise<HealthIndicatorResult> {
    const state = await this.database.state(CHECK_TIMEOUT_MS);
    const check = this.indicator.check('database');
    return isUsable(state) ? check.up({ state }) : check.down({ state, error: STATE_TEXTS[state] });
  }

  queueAnswers(): Promise<HealthIndicatorResult> {
    return this.passes('queue', () => this.queue.check());
  }

  storageTakesFiles(): Promise<HealthIndicatorResult> {
    return this.passes('storage', () => this.storage.check());
  }

  nameServersAnswer(): Promise<HealthIndicatorResult> {
    return this.passes('dns', () => this.names.answers());
  }

  async diskHasRoom(): Promise<HealthIndicatorResult> {
    const { bavail, bsize } = await statfs(tmpdir());
    const facts = { free_bytes: bavail * bsize };
    const check = this.indicator.check('disk');
    return facts.free_bytes >= MIN_FREE_BYTES ? check.up(facts) : check.down(facts);
  }

  private async passes(key: string, test: () => Promise<void>): Promise<HealthIndicatorResult> {
    const check = this.indicator.check(key);
    return withTimeout(test(), CHECK_TIMEOUT_MS, `checking the ${key}`).then(
      () => check.up(),
      () => check.down(),
    );
  }
}
