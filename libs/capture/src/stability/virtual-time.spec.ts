import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TimerQueue, VirtualTime } from './virtual-time.js';

const timeOf = (busyReads = 100): VirtualTime => new VirtualTime(new TimerQueue(), busyReads);

const { MessageChannel } = globalThis;
const opened: MessageChannel[] = [];

beforeAll(() => {
  globalThis.MessageChannel = class extends MessageChannel {
    constructor() {
      super();
      opened.push(this);
    }
  };
});

// An open channel keeps a process of Node alive; a page ends with its own.
afterAll(() => {
  globalThis.MessageChannel = MessageChannel;
  for (const { port1 } of opened) port1.close();
});

/** Lets time pass up to `to` and waits until all timers have run. */
async function reach(time: VirtualTime, to: number): Promise<void> {
  while (!time.reach(to)) await new Promise(setImmediate);
}

describe(TimerQueue.name, () => {
  it('gives timers by due time, and those of one time in their order', () => {
    const queue = new TimerQueue();
    const dues = Array.from({ length: 500 }, (_, i) => (i * 7919) % 101);
    dues.forEach((due, order) => {
      queue.push({ id: order, run: () => undefined, due, order, everyMs: undefined, depth: 0 });
    });
    const found: [number, number][] = [];
    for (let first = queue.first(); first; first = queue.first()) {
      found.push([first.due, first.order]);
      queue.pop();
    }
    expect(found).toEqual(found.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]));
    expect(found).toHaveLength(500);
  });
});

describe(VirtualTime.name, () => {
  it('jumps from timer to timer, with promises in between', async () => {
    const time = timeOf();
    const seen: string[] = [];
    time.schedule(() => {
      seen.push(`late ${time.now}`);
    }, 300);
    time.schedule((now) => {
      seen.push(`early ${now}`);
      void Promise.resolve().then(() => seen.push('promise'));
      time.schedule(() => seen.push(`nested ${time.now}`), now + 10);
    }, 100);
    await reach(time, 200);
    expect([seen, time.now]).toEqual([['early 100', 'promise', 'nested 110'], 200]);
    await reach(time, 1_000);
    expect([seen.at(-1), time.now]).toEqual(['late 300', 1_000]);
  });

  it('repeats intervals until they are canceled', async () => {
    const time = timeOf();
    let runs = 0;
    const id = time.schedule(() => (runs += 1), 30, 30);
    await reach(time, 2_000);
    expect(runs).toBe(66);
    time.cancel(id);
    expect(time.hasWork(10_000)).toBe(false);
  });

  it('stands still by itself, and passes by so much from where it is', async () => {
    const time = timeOf();
    time.schedule(() => undefined, 50);
    await new Promise(setImmediate);
    expect([time.now, time.hasWork(40), time.hasWork(50)]).toEqual([0, false, true]);
    time.pass(30);
    time.pass(30);
    await reach(time, 0);
    expect(time.now).toBe(60);
  });

  it('passes while a script reads it again and again', () => {
    const time = timeOf(100);
    for (let i = 0; i < 100; i += 1) expect(time.read()).toBe(0);
    for (let i = 0; i < 1_000; i += 1) time.read();
    expect(time.read()).toBeGreaterThan(100);
  });
});
