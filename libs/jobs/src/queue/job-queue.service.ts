import { InjectQueue } from '@nestjs/bullmq';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { PRIORITY_LIMIT, type Queue } from 'bullmq';
import { withTimeout } from '@app/kernel';
import type { Job } from '../job/job.entity.js';
import { LANE_OF, type Lane, type QueueEntry } from './queues.js';

/** An add that takes longer counts as failed; the row stays and the reconciler adds it later. */
const ADD_TIMEOUT_MS = 2_000;

/** BullMQ runs entries without a priority before all others, so each has one. */
const FIRST = 1;

export interface Placing {
  /** From 1; the lower, the sooner it runs. Among equals the first comes first, as in the interactive lane all do. */
  readonly priority?: number;
  readonly delayMs?: number;
}

/** Puts hints into the queue. */
@Injectable()
export class JobQueueService implements OnModuleInit {
  private readonly logger = new Logger(JobQueueService.name);
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
   * Says that a job is there to be run, at once or after a delay. Harmless when it was said before. Whether it worked:
   * the job is not lost if it did not, for the reconciler says it again.
   */
  async add(
    job: Pick<Job, 'id' | 'source' | 'attempt'>,
    { priority: wanted = FIRST, delayMs = 0 }: Placing = {},
  ): Promise<boolean> {
    const { id: jobId } = job;
    try {
      const lane = LANE_OF[job.source];
      const priority = lane === 'interactive' ? FIRST : Math.min(wanted, PRIORITY_LIMIT);
      const options = { jobId: entryIdOf(job), delay: delayMs, priority };
      const adding = this.queues[lane].add('capture', { jobId }, options);
      await withTimeout(adding, ADD_TIMEOUT_MS, 'adding to the queue');
      return true;
    } catch (error) {
      this.logger.warn(
        { job_id: jobId, err: error },
        'the queue did not take the job; it is added again later',
      );
      return false;
    }
  }

  /**
   * Gives an entry another priority, behind those that have the same. Whether it is in the queue at all: a worker may have
   * worked it off meanwhile.
   */
  async changePriority(job: Pick<Job, 'id' | 'source' | 'attempt'>, priority: number): Promise<boolean> {
    const backend = this.queues[LANE_OF[job.source]].getBackend();
    const changing = backend.changePriority(entryIdOf(job), priority);
    return withTimeout(changing, ADD_TIMEOUT_MS, 'changing a priority').then(
      () => true,
      () => false,
    );
  }

  /** Rejects when the queue takes no entries now. It writes: a Redis without memory left still answers reads. */
  async check(): Promise<void> {
    const backend = this.queues.interactive.getBackend();
    const writing = backend.setQueueMeta({ checked: Date.now() });
    await withTimeout(writing, ADD_TIMEOUT_MS, 'writing to the queue');
  }
}

/** Names the attempt that is to come, so that the entry which a dead attempt left behind does not swallow its hint. */
function entryIdOf({ id, attempt }: Pick<Job, 'id' | 'attempt'>): string {
  return `${id}.${attempt}`;
}
