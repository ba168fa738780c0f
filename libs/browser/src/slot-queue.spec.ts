import { describe, expect, it } from '@jest/globals';
import type { PageLease } from './page-lease.js';
import { SlotQueue } from './slot-queue.js';

const never = new AbortController().signal;
/** The line only passes it on. */
const lease = {} as PageLease;

/** Beyond the deadline of any test. */
const HOURS_MS = 3_600_000;

describe(SlotQueue.name, () => {
  it('lets slots meet callers in the order in which they came', async () => {
    const line = new SlotQueue();
    const turns: string[] = [];
    const callers = ['first', 'second', 'third'].map((name) =>
      line.join(never).then((turn) => {
        turns.push(name);
        turn.end();
      }),
    );
    for (const _ of callers) await (await line.next(never))?.serve(lease);
    await Promise.all(callers);
    expect(turns).toEqual(['first', 'second', 'third']);
  });

  it('gives a caller to the slot that waits longest', async () => {
    const line = new SlotQueue();
    const slots: string[] = [];
    const idle = ['first', 'second'].map((name) => line.next(never).then(() => slots.push(name)));
    void line.join(never);
    await idle[0];
    void line.join(never);
    await idle[1];
    expect(slots).toEqual(['first', 'second']);
  });

  it('resolves the slot’s service when the caller gives the page back, and not before', async () => {
    const line = new SlotQueue();
    const joining = line.join(never);
    const caller = await line.next(never);
    let served = false;
    const service = caller?.serve(lease).then(() => (served = true));
    const turn = await joining;
    expect(turn.lease).toBe(lease);
    expect(served).toBe(false);
    turn.end();
    await service;
    expect(served).toBe(true);
  });

  it('skips a caller that left', async () => {
    const line = new SlotQueue();
    const leaving = new AbortController();
    const left = line.join(leaving.signal);
    const stayed = line.join(never);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    void (await line.next(never))?.serve(lease);
    expect((await stayed).lease).toBe(lease);
  });

  it('does not hold a slot with a caller that left just as it was picked', async () => {
    const line = new SlotQueue();
    const leaving = new AbortController();
    const picked = line.next(never);
    const left = line.join(leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    await (await picked)?.serve(lease);
  });

  it('sends no caller to a slot that stopped waiting', async () => {
    const line = new SlotQueue();
    const leaving = new AbortController();
    const left = line.next(leaving.signal);
    leaving.abort();
    expect(await left).toBeUndefined();
    expect(await line.next(leaving.signal)).toBeUndefined();
    const joining = line.join(never);
    void (await line.next(never))?.serve(lease);
    expect((await joining).lease).toBe(lease);
  });

  it('refuses who waits and who comes once it is closed', async () => {
    const line = new SlotQueue();
    const waiting = line.join(never);
    line.close(new Error('closed'));
    await expect(waiting).rejects.toThrow('closed');
    await expect(line.join(never)).rejects.toThrow('closed');
  });

  it('rests until its time is over when nobody waits', async () => {
    await expect(new SlotQueue().rest(1)).resolves.toBeUndefined();
  });

  it('ends a rest as soon as somebody has to wait, and does not begin one then', async () => {
    const line = new SlotQueue();
    const resting = line.rest(HOURS_MS);
    line.join(never).catch(() => undefined);
    await resting;
    await line.rest(HOURS_MS);
    line.close(new Error('closed'));
  });

  it('ends a rest when it is closed', async () => {
    const line = new SlotQueue();
    const resting = line.rest(HOURS_MS);
    line.close(new Error('closed'));
    await resting;
  });
});
