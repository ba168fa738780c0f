import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@app/kernel';
import { eventually } from '../../../../test/support/eventually.js';
import type { JobQueue, LaneConsumer } from './job-queue.js';
import type { Lane } from './lanes.js';

/** Takes entries of one lane and holds each until the test ends it. */
interface TestConsumer {
  /** The jobs of all entries that were taken, in their order. */
  readonly taken: string[];
  /** The jobs of the entries that it holds now. */
  readonly held: Map<string, (delayMs: number | null) => void>;
  /** How often an entry was released. */
  released: number;
  readonly consumer: LaneConsumer;
}

/** The promises of every queue of jobs; the spec of each runs it on an empty queue. */
export function conformsToJobQueue(queueOf: () => JobQueue): void {
  let queue: JobQueue;
  let consumers: TestConsumer[];

  beforeEach(() => {
    queue = queueOf();
    consumers = [];
  });

  afterEach(async () => {
    const closing = consumers.map(({ consumer }) => consumer.close());
    for (const { held } of consumers) for (const end of held.values()) end(null);
    await Promise.all(closing);
  });

  const aJob = (source: 'job' | 'sync' = 'job') => ({ id: newId(), source, attempt: 0 }) as const;

  const consume = (lane: Lane, concurrency: number): TestConsumer => {
    const [taken, held] = [[] as string[], new Map<string, (delayMs: number | null) => void>()];
    const consumer = queue.consume(lane, {
      handle: (jobId) =>
        new Promise((resolve) => {
          taken.push(jobId);
          held.set(jobId, (delayMs) => {
            held.delete(jobId);
            resolve(delayMs);
          });
        }),
      onReleased: () => {
        own.released += 1;
      },
    });
    const own: TestConsumer = { taken, held, released: 0, consumer };
    consumers.push(own);
    consumer.setConcurrency(concurrency);
    return own;
  };

  /** Works off entries one by one until `done`; returns their jobs in the order in which they were taken. */
  const workOff = async (lane: Lane, done: (taken: string[]) => boolean): Promise<string[]> => {
    const taken: string[] = [];
    const consumer = queue.consume(lane, {
      handle: (jobId) => {
        taken.push(jobId);
        return Promise.resolve(null);
      },
      onReleased: () => undefined,
    });
    consumer.setConcurrency(1);
    await eventually('the entries are taken', () => done(taken));
    await consumer.close();
    return taken;
  };

  const holds = (test: TestConsumer, ...jobs: { id: string }[]): Promise<void> => {
    const expected = jobs.map(({ id }) => id).sort();
    return eventually(
      'it holds the expected entries',
      () => [...test.held.keys()].sort().join() === expected.join(),
    );
  };

  describe('adding', () => {
    it('keeps the lanes apart', async () => {
      const [interactive, background] = [aJob('sync'), aJob()];
      await queue.add(interactive);
      await queue.add(background);
      expect(await workOff('interactive', ({ length }) => length > 0)).toEqual([interactive.id]);
      expect(await workOff('background', ({ length }) => length > 0)).toEqual([background.id]);
    });

    it('holds one entry for an attempt, however often it is added, and one more for the next attempt', async () => {
      const [job, last] = [aJob(), aJob()];
      expect(await Promise.all([queue.add(job), queue.add(job)])).toEqual([true, true]);
      await queue.add({ ...job, attempt: 1 });
      await queue.add(last);
      expect(await workOff('background', (taken) => taken.includes(last.id))).toEqual([
        job.id,
        job.id,
        last.id,
      ]);
    });

    it('takes the same entry again after it was worked off', async () => {
      const job = aJob();
      await queue.add(job);
      await workOff('background', ({ length }) => length > 0);
      await queue.add(job);
      expect(await workOff('background', ({ length }) => length > 0)).toEqual([job.id]);
    });

    it('delivers a delayed entry after its delay, and others before it', async () => {
      const [late, early] = [aJob(), aJob()];
      await queue.add(late, { delayMs: 1_000 });
      await queue.add(early);
      expect(await workOff('background', ({ length }) => length === 2)).toEqual([early.id, late.id]);
    });

    it('takes entries when it is checked', async () => {
      await expect(queue.check()).resolves.toBeUndefined();
    });
  });

  describe.each([
    ['background', 'job'],
    ['interactive', 'sync'],
  ] as const)('priorities of the lane %s', (lane, source) => {
    it('order the entries, and among equals the first one comes first', async () => {
      const [third, first, second] = [aJob(source), aJob(source), aJob(source)];
      await queue.add(third, { priority: 8 });
      await queue.add(first);
      await queue.add(second, { priority: 1 });
      const ids = [first, second, third].map(({ id }) => id);
      expect(await workOff(lane, ({ length }) => length === 3)).toEqual(ids);
    });

    it('can be changed, which moves an entry behind those that already have the priority', async () => {
      const [late, first, second] = [aJob(source), aJob(source), aJob(source)];
      await queue.add(late, { priority: 8 });
      await queue.add(second, { priority: 3 });
      await queue.add(first, { priority: 1 });
      expect(await queue.changePriority(second, 1)).toBe(true);
      const ids = [first, second, late].map(({ id }) => id);
      expect(await workOff(lane, ({ length }) => length === 3)).toEqual(ids);
      expect(await queue.changePriority(second, 1)).toBe(false);
    });
  });

  describe('a consumer', () => {
    it('takes as many entries at once as its concurrency, and the next one when one ends', async () => {
      const jobs = [aJob(), aJob(), aJob()] as const;
      for (const job of jobs) await queue.add(job);
      const test = consume('background', 2);
      await holds(test, jobs[0], jobs[1]);
      test.held.get(jobs[0].id)?.(null);
      await holds(test, jobs[1], jobs[2]);
      expect(test.taken).toHaveLength(3);
      expect(test.released).toBe(1);
    });

    it('takes nothing before its concurrency is set, and nothing more once it is 0', async () => {
      const [first, second, other] = [aJob(), aJob(), aJob()];
      await queue.add(first);
      const stopped = consume('background', 0);
      const test = consume('background', 1);
      await holds(test, first);
      test.consumer.setConcurrency(0);
      test.held.get(first.id)?.(null);
      await queue.add(second);
      await queue.add(other);
      await holds(consume('background', 2), second, other);
      expect([stopped.taken, test.taken]).toEqual([[], [first.id]]);
    });

    it('takes more entries as soon as its concurrency grows, although it had as many as it could', async () => {
      const [first, second, third] = [aJob(), aJob(), aJob()];
      await queue.add(first);
      const test = consume('background', 1);
      await holds(test, first);
      await queue.add(second);
      test.consumer.setConcurrency(3);
      await holds(test, first, second);
      await queue.add(third);
      await holds(test, first, second, third);
    });

    it('takes more entries as soon as its concurrency grows, after others have ended', async () => {
      const [first, second, held, more] = [aJob(), aJob(), aJob(), aJob()];
      const test = consume('background', 1);
      for (const job of [first, second]) {
        await queue.add(job);
        await holds(test, job);
        test.held.get(job.id)?.(null);
      }
      await queue.add(held);
      await holds(test, held);
      await queue.add(more);
      test.consumer.setConcurrency(2);
      await holds(test, held, more);
    });

    it('takes entries again after its concurrency was 0', async () => {
      const [first, second] = [aJob(), aJob()];
      const test = consume('background', 1);
      test.consumer.setConcurrency(0);
      await queue.add(first);
      await queue.add(second);
      test.consumer.setConcurrency(2);
      await holds(test, first, second);
    });

    it('gives an entry back, which is delivered again after the delay', async () => {
      const [job, other] = [aJob(), aJob()];
      await queue.add(job);
      const busy = consume('background', 1);
      await holds(busy, job);
      busy.consumer.setConcurrency(0);
      busy.held.get(job.id)?.(500);
      await queue.add(other);
      expect(await workOff('background', ({ length }) => length === 2)).toEqual([other.id, job.id]);
      expect(busy.taken).toEqual([job.id]);
    });

    it('gets an entry again whose handler failed', async () => {
      const job = aJob();
      const taken: string[] = [];
      const consumer = queue.consume('background', {
        handle: (jobId) => {
          taken.push(jobId);
          return taken.length === 1 ? Promise.reject(new Error('it failed')) : Promise.resolve(null);
        },
        onReleased: () => undefined,
      });
      consumer.setConcurrency(1);
      await queue.add(job);
      await eventually('the entry is taken again', () => taken.length === 2);
      await consumer.close();
      expect(taken).toEqual([job.id, job.id]);
    });

    it('waits for its entries when it closes, and takes no other', async () => {
      const [held, left] = [aJob(), aJob()];
      await queue.add(held);
      const test = consume('background', 1);
      await holds(test, held);
      await queue.add(left);
      let isClosed = false;
      const closing = test.consumer.close().then(() => {
        isClosed = true;
      });
      expect(await workOff('background', ({ length }) => length > 0)).toEqual([left.id]);
      expect(isClosed).toBe(false);
      test.held.get(held.id)?.(null);
      await closing;
      expect(test.taken).toEqual([held.id]);
    });
  });
}
