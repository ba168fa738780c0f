import { Injectable } from '@nestjs/common';
import { JobSignalsService, SettlementService } from '@app/jobs';
import type { PeriodicTask } from './periodic-task.js';

/** Settles jobs that follow others as soon as those end. All workers do; one at a time. */
@Injectable()
export class SettlementTask implements PeriodicTask {
  readonly name = 'settle';

  /** Finds jobs whose signal was missed, and those that follow a capture that had ended before. */
  readonly periodMs = 1_000;

  constructor(
    private readonly settlement: SettlementService,
    private readonly signals: JobSignalsService,
  ) {}

  onStart(wake: () => void): Promise<void> {
    for (const event of ['finished', 'canceled', 'connected'] as const) this.signals.on(event, wake);
    return Promise.resolve();
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.settlement.settleAll(signal);
  }
}
