import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DispatcherService, JobSignalsService } from '@app/jobs';
import { pause, WakeUp } from '@app/kernel';
import { UpkeepMetrics } from '../metrics/upkeep.metrics.js';

/** Finds jobs whose signal was missed. */
const POLL_MS = 1_000;

/**
 * Time between two rounds, so that a few rounds answer a burst of signals. It is short because a host at its concurrency
 * limit gets its next capture only from a round.
 */
const PAUSE_MS = 5;

/** A round that dispatched something may have left more, because it looks ahead only so far. */
const AGAIN_MS = 25;

const TASK = 'dispatch';

/**
 * Dispatches jobs whenever one waits or a slot may be free. Each worker runs one loop. It is no periodic task, because
 * its pace depends on what the last round dispatched.
 */
@Injectable()
export class DispatchLoopService implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(DispatchLoopService.name);
  private readonly closing = new AbortController();
  private readonly wakeUp = new WakeUp();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly dispatcher: DispatcherService,
    private readonly signals: JobSignalsService,
    private readonly metrics: UpkeepMetrics,
  ) {}

  onModuleInit(): void {
    this.metrics.expose(TASK);
    for (const event of ['waiting', 'finished', 'canceled', 'connected'] as const) {
      this.signals.on(event, this.wakeUp.notify);
    }
    this.running = this.run(this.closing.signal);
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing.abort();
    await this.running;
  }

  private async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const dispatched = await this.dispatch();
      await pause(PAUSE_MS, signal);
      await this.wakeUp.wait(signal, dispatched === 0 ? POLL_MS : AGAIN_MS);
    }
  }

  /** Returns how many jobs it dispatched. */
  private async dispatch(): Promise<number> {
    try {
      return await this.metrics.countFailure(TASK, () => this.dispatcher.round());
    } catch (error) {
      this.logger.warn({ err: error }, 'a run failed; the next one tries again');
      return 0;
    }
  }
}
