import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { Job } from 'bullmq';
import { Env } from '@app/config';
import { LANE_SETTINGS, type QueueEntry } from '@app/jobs';
import { RunCapture } from './run-capture.service.js';

/** The row says that the job is to be run again; the queue's backoff says when. */
class RunAgain extends Error {
  override readonly name = 'RunAgain';
}

/** Takes hints from the queue. */
@Processor('interactive', LANE_SETTINGS.interactive.worker)
export class CaptureProcessor
  extends WorkerHost
  implements OnApplicationBootstrap, BeforeApplicationShutdown
{
  private readonly logger = new Logger(CaptureProcessor.name);

  constructor(
    private readonly runCapture: RunCapture,
    private readonly env: Env,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.worker.concurrency = this.env.WORKER_SLOTS;
  }

  async process({ data }: Job<QueueEntry>): Promise<void> {
    const outcome = await this.runCapture.run(data.jobId);
    if (outcome === 'again') throw new RunAgain();
  }

  /** Takes nothing new and waits for what runs, for as long as the grace lasts; before any module is torn down. */
  async beforeApplicationShutdown(): Promise<void> {
    this.runCapture.drain();
    await this.worker.close();
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.logger.warn(`queue: ${error.message}`);
  }
}
