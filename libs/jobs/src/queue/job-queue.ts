import { setTimeout as sleep } from 'node:timers/promises';
import { InjectQueue } from '@nestjs/bullmq';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Queue } from 'bullmq';
import type { Lane, QueueEntry } from './queues.js';

/** An add that takes longer counts as failed; the row stays and the reconciler adds it later. */
const ADD_TIMEOUT_MS = 2_000;

/** Puts hints into the queue. */
@Injectable()
export class JobQueue implements OnModuleInit {
  private readonly logger = new Logger(JobQueue.name);
  private readonly queues: Readonly<Record<Lane, Queue<QueueEntry>>>;

  constructor(@InjectQueue('interactive' satisfies Lane) interactive: Queue<QueueEntry>) {
    this.queues = { interactive };
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
   * Says that a job is there to be run. Harmless when it was said before. Whether it worked: the job is not lost if
   * it did not, for the reconciler says it again.
   */
  async add(lane: Lane, jobId: string): Promise<boolean> {
    try {
      await within(ADD_TIMEOUT_MS, this.queues[lane].add('capture', { jobId }, { jobId }));
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

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const timer = new AbortController();
  try {
    return await Promise.race([
      work,
      sleep(ms, undefined, { signal: timer.signal }).then(() => {
        throw new Error(`no answer within ${ms} ms`);
      }),
    ]);
  } finally {
    timer.abort();
  }
}
