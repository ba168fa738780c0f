import { InjectQueue } from '@nestjs/bullmq';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { PRIORITY_LIMIT, type Queue } from 'bullmq';
import { withTimeout } from '@app/kernel';
import { BullmqConsumer, type EntryData } from './bullmq-consumer.js';
import {
  entryIdOf,
  FIRST,
  JobQueue,
  type EntryHandler,
  type EntryOptions,
  type LaneConsumer,
  type QueueableJob,
} from './job-queue.js';
import { LANE_OF, type Lane } from './lanes.js';

/** The timeout of each call; a call that takes longer counts as failed. */
const TIMEOUT_MS = 2_000;

/** The queue in BullMQ, on PostgreSQL or Redis. Each lane is a queue of BullMQ's. */
@Injectable()
export class BullmqJobQueueService extends JobQueue implements OnModuleInit {
  private readonly logger = new Logger(JobQueue.name);
  private readonly queues: Readonly<Record<Lane, Queue<EntryData>>>;

  constructor(
    @InjectQueue('interactive' satisfies Lane) interactive: Queue<EntryData>,
    @InjectQueue('background' satisfies Lane) background: Queue<EntryData>,
  ) {
    super();
    this.queues = { interactive, background };
  }

  onModuleInit(): void {
    for (const queue of Object.values(this.queues)) {
      // Without a listener BullMQ prints the error with the whole client object, including secrets.
      queue.on('error', (error: Error) => {
        this.logger.warn(`queue: ${error.message}`);
      });
    }
  }

  async add(job: QueueableJob, { priority = FIRST, delayMs = 0 }: EntryOptions = {}): Promise<boolean> {
    const { id: jobId } = job;
    try {
      const adding = this.queues[LANE_OF[job.source]].add(
        'capture',
        { jobId },
        {
          jobId: entryIdOf(job),
          delay: delayMs,
          priority: Math.min(priority, PRIORITY_LIMIT),
        },
      );
      await withTimeout(adding, TIMEOUT_MS, 'adding to the queue');
      return true;
    } catch (error) {
      this.logger.warn(
        { job_id: jobId, err: error },
        'the queue did not take the job; it is added again later',
      );
      return false;
    }
  }

  async changePriority(job: QueueableJob, priority: number): Promise<boolean> {
    const backend = this.queues[LANE_OF[job.source]].getBackend();
    const changing = backend.changePriority(entryIdOf(job), priority);
    return withTimeout(changing, TIMEOUT_MS, 'changing a priority').then(
      () => true,
      () => false,
    );
  }

  /** Writes, because a Redis without free memory still answers reads. */
  async check(): Promise<void> {
    const backend = this.queues.interactive.getBackend();
    await withTimeout(backend.setQueueMeta({ checked: Date.now() }), TIMEOUT_MS, 'writing to the queue');
  }

  consume(lane: Lane, handler: EntryHandler): LaneConsumer {
    const { connection } = this.queues[lane].opts;
    return new BullmqConsumer(lane, connection, handler);
  }
}
