import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { UpkeepMetrics } from '../metrics/upkeep.metrics.js';
import { PERIODIC_TASKS, type PeriodicTask } from './periodic-task.js';
import { TaskRunner } from './task-runner.js';

/** Runs all periodic tasks while the worker is up. */
@Injectable()
export class PeriodicTasksService implements OnModuleInit, OnApplicationShutdown {
  private readonly runners: readonly TaskRunner[];

  constructor(@Inject(PERIODIC_TASKS) tasks: readonly PeriodicTask[], metrics: UpkeepMetrics) {
    this.runners = tasks.map((task) => new TaskRunner(task, metrics));
  }

  async onModuleInit(): Promise<void> {
    await Promise.all(this.runners.map((runner) => runner.start()));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.runners.map((runner) => runner.stop()));
  }
}
