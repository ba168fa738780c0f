import { Injectable } from '@nestjs/common';
import { OutcomeService } from '@app/monitors';
import type { PeriodicTask } from './periodic-task.js';

/** Gives the checks of monitors their outcomes. All workers do; each check is ended by one. */
@Injectable()
export class MonitorOutcomeTask implements PeriodicTask {
  readonly name = 'end_monitor_checks';

  /** How long after its last capture a check ends at the latest. */
  readonly periodMs = 2_000;

  constructor(private readonly outcomes: OutcomeService) {}

  async run(signal: AbortSignal): Promise<void> {
    await this.outcomes.endAll(signal);
  }
}
