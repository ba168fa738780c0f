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

/** The delay after which an entry whose handler failed is taken again. */
const RETRY_MS = 100;

interface Entry {
  readonly jobId: string;
  readonly lane: Lane;
  priority: number;
  /** Orders entries of the same priority. */
  place: number;
  /** By `performance.now()`. */
  dueAt: number;
  isTaken: boolean;
}

interface Consumer {
  readonly lane: Lane;
  readonly handler: EntryHandler;
  concurrency: number;
  /** Orders consumers by when they were last given an entry. */
  servedAt: number;
  readonly inHand: Set<Promise<void>>;
}

/** A queue within one process, for tests. */
export class MemoryJobQueue extends JobQueue {
  private readonly entries = new Map<string, Entry>();
  private readonly consumers = new Set<Consumer>();
  private places = 0;

  /** Entries that wait, are delayed or are taken. */
  get size(): number {
    return this.entries.size;
  }

  add(job: QueueableJob, { priority = FIRST, delayMs = 0 }: EntryOptions = {}): Promise<boolean> {
    const id = entryIdOf(job);
    if (!this.entries.has(id)) {
      const lane = LANE_OF[job.source];
      this.entries.set(id, { jobId: job.id, lane, priority, place: 0, dueAt: 0, isTaken: false });
      this.release(id, delayMs);
    }
    return Promise.resolve(true);
  }

  changePriority(job: QueueableJob, priority: number): Promise<boolean> {
    const entry = this.entries.get(entryIdOf(job));
    if (!entry) return Promise.resolve(false);
    Object.assign(entry, { priority, place: ++this.places });
    return Promise.resolve(true);
  }

  check(): Promise<void> {
    return Promise.resolve();
  }

  consume(lane: Lane, handler: EntryHandler): LaneConsumer {
    const consumer: Consumer = { lane, handler, concurrency: 0, servedAt: 0, inHand: new Set() };
    this.consumers.add(consumer);
    return {
      setConcurrency: (entries) => {
        consumer.concurrency = entries;
        this.deliver();
      },
      close: async () => {
        this.consumers.delete(consumer);
        await Promise.all(consumer.inHand);
      },
    };
  }

  private deliver(): void {
    // As in the real queues, the consumer that has waited longest comes first, so that another one gets what it gave back.
    for (const consumer of [...this.consumers].sort((a, b) => a.servedAt - b.servedAt)) {
      for (const [id, entry] of this.due(consumer.lane)) {
        if (consumer.inHand.size >= consumer.concurrency) break;
        entry.isTaken = true;
        consumer.servedAt = ++this.places;
        const handling = this.handle(consumer, id, entry).finally(() => {
          consumer.inHand.delete(handling);
          consumer.handler.onReleased();
          this.deliver();
        });
        consumer.inHand.add(handling);
      }
    }
  }

  private due(lane: Lane): [string, Entry][] {
    const now = performance.now();
    return [...this.entries]
      .filter(([, entry]) => entry.lane === lane && !entry.isTaken && entry.dueAt <= now)
      .sort(([, a], [, b]) => a.priority - b.priority || a.place - b.place);
  }

  private async handle({ handler }: Consumer, id: string, { jobId }: Entry): Promise<void> {
    const delayMs = await handler.handle(jobId).catch(() => RETRY_MS);
    if (delayMs === null) this.entries.delete(id);
    else this.release(id, delayMs);
  }

  private release(id: string, delayMs: number): void {
    const entry = this.entries.get(id);
    if (!entry) return;
    Object.assign(entry, { isTaken: false, place: ++this.places, dueAt: performance.now() + delayMs });
    if (delayMs === 0) this.deliver();
    // Timers may fire a little early, hence the extra millisecond.
    else
      setTimeout(() => {
        this.deliver();
      }, delayMs + 1).unref();
  }
}
