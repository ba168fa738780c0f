import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { BrowserPool } from '@app/browser';
import { Database } from '@app/database';
import { JobQueue } from '@app/jobs';
import { Storage } from '@app/storage';

/** What a worker needs to take captures. */
@Injectable()
export class WorkerHealth {
  constructor(
    private readonly indicator: HealthIndicatorService,
    private readonly database: Database,
    private readonly queue: JobQueue,
    private readonly storage: Storage,
    private readonly pool: BrowserPool,
  ) {}

  databaseAnswers(): Promise<HealthIndicatorResult> {
    return this.passes('database', () => this.database.ping());
  }

  queueAnswers(): Promise<HealthIndicatorResult> {
    return this.passes('queue', () => this.queue.check());
  }

  storageTakesFiles(): Promise<HealthIndicatorResult> {
    return this.passes('storage', () => this.storage.check());
  }

  aBrowserRuns(): Promise<HealthIndicatorResult> {
    const state = this.pool.state();
    const check = this.indicator.check('browser');
    return Promise.resolve(state.healthy > 0 ? check.up({ ...state }) : check.down({ ...state }));
  }

  private async passes(key: string, test: () => Promise<void>): Promise<HealthIndicatorResult> {
    const check = this.indicator.check(key);
    return test().then(
      () => check.up(),
      () => check.down(),
    );
  }
}
