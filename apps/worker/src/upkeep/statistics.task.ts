import { Injectable } from '@nestjs/common';
import { JobSumsRepository } from '@app/jobs';
import type { PeriodicTask } from './periodic-task.js';

/** Keeps the hourly sums that statistics read. Hours that have no sum yet are read from their rows. */
@Injectable()
export class StatisticsTask implements PeriodicTask {
  readonly name = 'statistics';
  readonly periodMs = 60_000;

  constructor(private readonly sums: JobSumsRepository) {}

  run(): Promise<void> {
    return this.sums.bringUpToDate();
  }
}
