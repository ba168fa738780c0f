import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { JobRepository, WorkerRegistry } from '@app/jobs';
import { Storage } from '@app/storage';
import { Rounds } from './rounds.js';

const PERIOD_MS = 60_000;
const BATCH = 500;

/** Deletes the files whose time is over; their records stay. */
@Injectable()
export class Expiry implements OnModuleInit, OnApplicationShutdown {
  private readonly rounds = new Rounds(Expiry.name, PERIOD_MS, () => this.expire());

  constructor(
    private readonly jobs: JobRepository,
    private readonly workers: WorkerRegistry,
    private readonly storage: Storage,
  ) {}

  onModuleInit(): void {
    this.rounds.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.rounds.stop();
  }

  private async expire(): Promise<void> {
    const expired = await this.jobs.listExpired(BATCH);
    // The file first: a row that still names a deleted file is found again, a file that no row names is not.
    for (const { key } of expired) await this.storage.delete(key);
    await this.jobs.forgetFiles(expired.map(({ id }) => id));
    await this.workers.prune();
  }
}
