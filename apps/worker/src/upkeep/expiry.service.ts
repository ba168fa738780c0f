import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { JobRepository, WorkerRegistry } from '@app/jobs';
import { Storage } from '@app/storage';

const PERIOD_MS = 60_000;
const BATCH = 500;

/** Deletes the files whose time is over; their records stay. */
@Injectable()
export class Expiry implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(Expiry.name);
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();

  constructor(
    private readonly jobs: JobRepository,
    private readonly workers: WorkerRegistry,
    private readonly storage: Storage,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => {
      this.round = this.round.then(() => this.expire());
    }, PERIOD_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.round;
  }

  private async expire(): Promise<void> {
    try {
      const expired = await this.jobs.listExpired(BATCH);
      // The file first: a row that still names a deleted file is found again, a file that no row names is not.
      for (const { key } of expired) await this.storage.delete(key);
      await this.jobs.forgetFiles(expired.map(({ id }) => id));
      await this.workers.prune();
    } catch (error) {
      this.logger.warn({ err: error }, 'expiring failed; the next round tries again');
    }
  }
}
