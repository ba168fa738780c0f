import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { JobSumsRepository } from '@app/jobs';
import { UpkeepMetrics } from '../metrics/upkeep.metrics.js';
import { Rounds } from './rounds.js';

const PERIOD_MS = 60_000;

/** Keeps the hourly sums that statistics are read from; hours that are not summed up yet are read from their rows. */
@Injectable()
export class Statistics implements OnModuleInit, OnApplicationShutdown {
  private readonly rounds = new Rounds(Statistics.name, PERIOD_MS, () =>
    this.metrics.watching('statistics', () => this.sums.bringUpToDate()),
  );

  constructor(
    private readonly sums: JobSumsRepository,
    private readonly metrics: UpkeepMetrics,
  ) {}

  onModuleInit(): void {
    this.rounds.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.rounds.stop();
  }
}
