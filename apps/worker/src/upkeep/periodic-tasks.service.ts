import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { WakeUp } from '@app/kernel';
import { UpkeepMetrics } from '../metrics/upkeep.metrics.js';
import { PERIODIC_TASKS, type PeriodicTask } from './periodic-task.js';

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

/** Repeats one task, one run at a time. A failed run is logged and counted, and the next one tries again. */
export class TaskRunner {
  private readonly logger: Logger;
  private readonly closing = new AbortController();
  private readonly wakeUp = new WakeUp();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly task: PeriodicTask,
    private readonly metrics: UpkeepMetrics,
  ) {
    this.logger = new Logger(task.name);
  }

  /** Begins with a run at once. */
  async start(): Promise<void> {
    this.metrics.expose(this.task.name);
    await this.task.onStart?.(this.wakeUp.notify);
    this.running = this.repeat(this.closing.signal);
  }

  /** Resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.closing.abort();
    await this.running;
  }

  private async repeat(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.run(signal);
      await this.wakeUp.wait(signal, this.task.periodMs);
    }
  }

  private async run(signal: AbortSignal): Promise<void> {
    try {
      await this.metrics.countFailure(this.task.name, () => this.task.run(signal));
    } catch (error) {
      this.logger.warn({ err: error }, 'a run failed; the next one tries again');
    }
  }
}
