import { describe, expect, it } from '@jest/globals';
import type { PageLease } from '../page/page-lease.js';
import { SlotQueue } from './slot-queue.js';

const never = new AbortController().signal;
/** The queue only passes it on. */
const lease = {} as PageLease;

/** Longer than the timeout of any test. */
const HOURS_MS = 3_600_000;

describe(SlotQueue.name, () => {
  it('serves callers in the order of their arrival', async () => {
    const queue = new SlotQueue();
    const served: string[] = [];
    const callers = ['first', 'second', 'third'].map((name) =>
      queue.acquire(never).then((grant) => {
        served.push(name);
        grant.release();
      }),
    );
    for (const _ of callers) await (await queue.nextCaller(never))?.serve(lease);
    await Promise.all(callers);
    expect(served).toEqual(['first', 'second', 'third']);
  });

  it('gives a caller to the slot that was ready last', async () => {
    const queue = new SlotQueue();
    const slots: string[] = [];
    const idle = ['first', 'second'].map((name) => queue.nextCaller(never).then(() => slots.push(name)));
    void queue.acquire(never);
    await idle[1];
    void queue.acquire(never);
    await idle[0];
    expect(slots).toEqual(['second', 'first']);
  });

  it('ends the service of a slot when the caller releases the page, and not before', async () => {
    const queue = new SlotQueue();
    const acquiring = queue.acquire(never);
    const caller = await queue.nextCaller(never);
    let released = false;
    const service = caller?.serve(lease).then(() => (released = true));
    const grant = await acquiring;
    expect(grant.lease).toBe(lease);
    expect(released).toBe(false);
    grant.release();
    await service;
    expect(released).toBe(true);
  });

  it('skips a caller that has left', async () => {
    const queue = new SlotQueue();
    const leaving = new AbortController();
    const left = queue.acquire(leaving.signal);
    const stayed = queue.acquire(never);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    void (await queue.nextCaller(never))?.serve(lease);
    expect((await stayed).lease).toBe(lease);
  });

  it('frees the slot at once when the caller leaves after it was picked', async () => {
    const queue = new SlotQueue();
    const leaving = new AbortController();
    const picked = queue.nextCaller(never);
    const left = queue.acquire(leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    await (await picked)?.serve(lease);
  });

  it('gives no caller to a slot that no longer waits', async () => {
    const queue = new SlotQueue();
    const leaving = new AbortController();
    const left = queue.nextCaller(leaving.signal);
    leaving.abort();
    expect(await left).toBeUndefined();
    expect(await queue.nextCaller(leaving.signal)).toBeUndefined();
    const acquiring = queue.acquire(never);
    void (await queue.nextCaller(never))?.serve(lease);
    expect((await acquiring).lease).toBe(lease);
  });

  it('rejects waiting and later callers once it is closed', async () => {
    const queue = new SlotQueue();
    const waiting = queue.acquire(never);
    queue.close(new Error('closed'));
    await expect(waiting).rejects.toThrow('closed');
    await expect(queue.acquire(never)).rejects.toThrow('closed');
  });

  it('pauses for the whole time when no caller waits', async () => {
    await expect(new SlotQueue().pauseWhileIdle(1)).resolves.toBeUndefined();
  });

  it('ends a pause as soon as a caller has to wait, and begins none then', async () => {
    const queue = new SlotQueue();
    const pausing = queue.pauseWhileIdle(HOURS_MS);
    queue.acquire(never).catch(() => undefined);
    await pausing;
    await queue.pauseWhileIdle(HOURS_MS);
    queue.close(new Error('closed'));
  });

  it('ends a pause when it is closed', async () => {
    const queue = new SlotQueue();
    const pausing = queue.pauseWhileIdle(HOURS_MS);
    queue.close(new Error('closed'));
    await pausing;
  });

  it('wakes one slot for each caller that keeps waiting, and none when a slot is ready in time', async () => {
    const queue = new SlotQueue();
    const closing = new AbortController();
    let woken = 0;
    const sleeping = [1, 2, 3].map(() => queue.demand(closing.signal).then(() => (woken += 1)));
    const quick = queue.acquire(never);
    void (await queue.nextCaller(never))?.serve(lease);
    (await quick).release();
    const waiting = [1, 2].map(() => queue.acquire(never));
    await Promise.race(sleeping);
    await sleeping[1];
    expect(woken).toBe(2);
    closing.abort();
    await Promise.all(sleeping);
    for (const caller of waiting) {
      void (await queue.nextCaller(never))?.serve(lease);
      (await caller).release();
    }
  });
});
