import { Injectable } from '@nestjs/common';
import { SchedulerService } from '@app/monitors';
import type { PeriodicTask } from './periodic-task.js';

/** Makes the captures of monitors that are due. All workers do; each instant is made by one. */
@Injectable()
export class MonitorScheduleTask implements PeriodicTask {
  readonly name = 'schedule_monitors';
  readonly periodMs = 1_000;

  constructor(private readonly scheduler: SchedulerService) {}

  async run(signal: AbortSignal): Promise<void> {
    await this.scheduler.tick(signal);
  }
}
