import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { BatchAnnouncerService } from '@app/bulk';
import { UpkeepMetrics } from '../metrics/upkeep.metrics.js';
import { Rounds } from './rounds.js';

/** Behind the notifications: what was missed is found at the latest after this. */
const PERIOD_MS = 5_000;

/** Announces the ends of batches. Each worker does so; each end is announced by one. */
@Injectable()
export class Announcing implements OnModuleInit, OnApplicationShutdown {
  private readonly rounds = new Rounds(Announcing.name, PERIOD_MS, async (signal) => {
    await this.metrics.watching('announce', () => this.announcer.announceAll(signal));
  });

  constructor(
    private readonly announcer: BatchAnnouncerService,
    private readonly metrics: UpkeepMetrics,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.announcer.listen(() => {
      this.rounds.wake();
    });
    this.rounds.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.rounds.stop();
  }
}
