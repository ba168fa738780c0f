import { InjectQueue } from '@nestjs/bullmq';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { within } from '@app/kernel';
import type { Job } from '../job.entity.js';
import { LANE_OF, type Lane, type QueueEntry } from './queues.js';

/** An add that takes longer counts as failed; the row stays and the reconciler adds it later. */
const ADD_TIMEOUT_MS = 2_000;

/** Puts hints into the queue. */
@Injectable()
export class JobQueue implements OnModuleInit {
  private readonly logger = new Logger(JobQueue.name);
  private readonly queues: Readonly<Record<Lane, Queue<QueueEntry>>>;

  constructor(
    @InjectQueue('interactive' satisfies Lane) interactive: Queue<QueueEntry>,
    @InjectQueue('background' satisfies Lane) background: Queue<QueueEntry>,
  ) {
    this.queues = { interactive, background };
  }

  onModuleInit(): void {
    for (const queue of Object.values(this.queues)) {
      // Without a listener BullMQ prints the error with the whole client object, secrets included.
      queue.on('error', (error: Error) => {
        this.logger.warn(`queue: ${error.message}`);
      });
    }
  }

  /**
   * Says that a job is there to be run, at once or after `delayMs`. Harmless when it was said before. Whether it worked:
   * the job is not lost if it did not, for the reconciler says it again.
   */
  async add(job: Pick<Job, 'id' | 'source' | 'attempt'>, delayMs = 0): Promise<boolean> {
    const { id: jobId } = job;
    try {
      const queue = this.queues[LANE_OF[job.source]];
      const adding = queue.add('capture', { jobId }, { jobId: entryIdOf(job), delay: delayMs });
      await within(ADD_TIMEOUT_MS, adding);
      return true;
    } catch (error) {
      this.logger.warn(
        { job_id: jobId, err: error },
        'the queue did not take the job; it is added again later',
      );
      return false;
    }
  }

  /** Rejects when the queue does not answer. */
  async check(): Promise<void> {
    await within(ADD_TIMEOUT_MS, this.queues.interactive.getWaitingCount());
  }
}

/** Names the attempt that is to come, so that the entry which a dead attempt left behind does not swallow its hint. */
function entryIdOf({ id, attempt }: Pick<Job, 'id' | 'attempt'>): string {
  return `${id}.${attempt}`;
}
