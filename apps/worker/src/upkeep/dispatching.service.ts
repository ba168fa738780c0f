import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DispatcherService, JobSignalsService } from '@app/jobs';
import { pause, WakeUp } from '@app/kernel';
import { UpkeepMetrics } from '../metrics/upkeep.metrics.js';

/** Behind the signals: what was missed is found at the latest after this. */
const POLL_MS = 1_000;

/**
 * Between two rounds: a burst of signals is answered by a few, not by one each. It is short, for a host that has as many
 * visits as it is to have gets its next one only by a round.
 */
const PAUSE_MS = 5;

/** After a round that dispatched something there may be more, for it looks ahead only so far; it is in no hurry. */
const AGAIN_MS = 25;

/** Lets the dispatcher do a round whenever a job waits or a place may be free. Each worker runs one. */
@Injectable()
export class Dispatching implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(Dispatching.name);
  private readonly closing = new AbortController();
  private readonly wakeUp = new WakeUp();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly dispatcher: DispatcherService,
    private readonly signals: JobSignalsService,
    private readonly metrics: UpkeepMetrics,
  ) {}

  onModuleInit(): void {
    for (const event of ['waiting', 'finished', 'canceled', 'connected'] as const) {
      this.signals.on(event, this.wakeUp.notify);
    }
    this.running = this.run(this.closing.signal);
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing.abort();
    await this.running;
  }

  private async run(closing: AbortSignal): Promise<void> {
    while (!closing.aborted) {
      const dispatched = await this.round();
      await pause(PAUSE_MS, closing);
      await this.wakeUp.wait(closing, dispatched === 0 ? POLL_MS : AGAIN_MS);
    }
  }

  /** How many jobs it dispatched. */
  private async round(): Promise<number> {
    try {
      return await this.metrics.watching('dispatch', () => this.dispatcher.round());
    } catch (error) {
      this.logger.warn({ err: error }, 'a round failed; the next one tries again');
      return 0;
    }
  }
}
