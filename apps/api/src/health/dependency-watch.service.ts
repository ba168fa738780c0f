import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import { JobQueue } from '@app/jobs';
import { DependencyMetrics } from '@app/metrics';
import { Storage } from '@app/storage';

/** Exports which dependencies of this API work, by the checks of `/v1/health`. */
@Injectable()
export class DependencyWatchService implements OnModuleInit {
  constructor(
    private readonly dependencies: DependencyMetrics,
    private readonly database: DatabaseService,
    private readonly queue: JobQueue,
    private readonly storage: Storage,
  ) {}

  onModuleInit(): void {
    this.dependencies.watch('database', () => this.database.ping());
    this.dependencies.watch('queue', () => this.queue.check());
    this.dependencies.watch('store', () => this.storage.check());
  }
}
