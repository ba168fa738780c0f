import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DelayedError, type Job } from 'bullmq';
import { Clock } from '@app/kernel';
import { LANE_SETTINGS, type Lane, type QueueEntry } from '@app/jobs';
import { LanesService } from './lanes.service.js';

/** Brings the entries of one queue to its lane. */
@Injectable()
abstract class LaneProcessor extends WorkerHost implements OnApplicationBootstrap, BeforeApplicationShutdown {
  protected abstract readonly lane: Lane;
  private readonly logger = new Logger(LaneProcessor.name);

  constructor(
    private readonly lanes: LanesService,
    private readonly clock: Clock,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.lanes.attach(this.lane, this.worker);
  }

  async process(entry: Job<QueueEntry>, token?: string): Promise<void> {
    const backInMs = await this.lanes.run(this.lane, entry.data.jobId);
    if (backInMs === null) return;
    await entry.moveToDelayed(this.clock.now().getTime() + backInMs, token);
    throw new DelayedError();
  }

  /** Fetches nothing new and waits for what runs, before any module is torn down. */
  beforeApplicationShutdown(): Promise<void> {
    return this.worker.close();
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.logger.warn(`queue: ${error.message}`);
  }
}

@Processor('interactive', LANE_SETTINGS.interactive.worker)
export class InteractiveProcessor extends LaneProcessor {
  protected readonly lane = 'interactive';
}

@Processor('background', LANE_SETTINGS.background.worker)
export class BackgroundProcessor extends LaneProcessor {
  protected readonly lane = 'background';
}
