import type { Job } from '../job/job.entity.js';
import type { Lane } from './lanes.js';

/** The columns of a job that its queue entry depends on. */
export type QueueableJob = Pick<Job, 'id' | 'source' | 'attempt'>;

export interface EntryOptions {
  /** From 1; the lower, the sooner the entry is taken. */
  readonly priority?: number;
  readonly delayMs?: number;
}

/** What a worker does with the entries of a lane. */
export interface EntryHandler {
  /** Returns null when the entry is done, or the delay in ms after which any worker may take it again. */
  handle(jobId: string): Promise<number | null>;
  /** Called after each entry, when it no longer counts towards the concurrency of the consumer. */
  onReleased(): void;
}

/** Takes the entries of one lane. */
export interface LaneConsumer {
  /** Sets how many entries are taken at the same time. With 0, as at first, no further entry is taken. */
  setConcurrency(entries: number): void;
  /** Takes no further entry, and resolves when all taken entries have been handled. */
  close(): Promise<void>;
}

/**
 * The queue of the jobs that workers should run next. Its entries are hints: the rows of jobs are the truth, so an entry may
 * be added or delivered twice, and the whole queue may be lost, without harm.
 */
export abstract class JobQueue {
  /**
   * Adds an entry for the next attempt of a job; does nothing when it is already there. Returns false when the queue did
   * not take it in time; the reconciler then adds it again.
   */
  abstract add(job: QueueableJob, options?: EntryOptions): Promise<boolean>;

  /** Moves an entry behind those of the given priority; returns false when the entry is no longer in the queue. */
  abstract changePriority(job: QueueableJob, priority: number): Promise<boolean>;

  /** Rejects when the queue does not take entries. */
  abstract check(): Promise<void>;

  abstract consume(lane: Lane, handler: EntryHandler): LaneConsumer;
}

/** The entry with the highest priority; BullMQ would take entries without a priority before all others. */
export const FIRST = 1;

/** Names the next attempt, so that a leftover entry of an earlier attempt does not count as the same entry. */
export function entryIdOf({ id, attempt }: Pick<Job, 'id' | 'attempt'>): string {
  return `${id}.${attempt}`;
}
