import { Injectable } from '@nestjs/common';
import { Env } from '@app/config';
import { CheckRepository } from '@app/monitors';
import type { PeriodicTask } from './periodic-task.js';

/** Deletes the checks of monitors that are as old as records of captures may be. */
@Injectable()
export class MonitorChecksTask implements PeriodicTask {
  readonly name = 'monitor_checks';
  readonly periodMs = 60_000;

  constructor(
    private readonly checks: CheckRepository,
    private readonly env: Env,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.checks.purge(this.env.RECORD_TTL_S)) > 0);
  }
}
