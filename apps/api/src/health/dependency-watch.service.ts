import { Injectable, type OnModuleInit } from '@nestjs/common';
import { isUsable } from '@app/database';
import { JobQueue } from '@app/jobs';
import { DependencyMetrics } from '@app/metrics';
import { Storage } from '@app/storage';
import { ServiceHealthService } from './service-health.service.js';

/** Exports which dependencies of this API work, by the checks of `/v1/health`. */
@Injectable()
export class DependencyWatchService implements OnModuleInit {
  constructor(
    private readonly dependencies: DependencyMetrics,
    private readonly health: ServiceHealthService,
    private readonly queue: JobQueue,
    private readonly storage: Storage,
  ) {}

  onModuleInit(): void {
    this.dependencies.watch('database', async () => {
      const state = await this.health.databaseState();
      if (!isUsable(state)) throw new Error(`The state of the database is ${state}.`);
    });
    this.dependencies.watch('queue', () => this.queue.check());
    this.dependencies.watch('store', () => this.storage.check());
    this.dependencies.watch('secrets', async () => {
      if (!(await this.health.canOpenSecrets())) throw new Error('SECRETS_KEY does not open the secrets.');
    });
  }
}
