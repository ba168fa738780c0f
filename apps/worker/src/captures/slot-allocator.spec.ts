import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Lane } from '@app/jobs';
import { SlotAllocator, type Slot } from './slot-allocator.js';

describe(SlotAllocator.name, () => {
  let allocator: SlotAllocator;
  let served: string[];
  let slots: Map<string, Slot>;

  beforeEach(() => {
    served = [];
    slots = new Map();
  });

  const open = (count: number): void => {
    allocator = new SlotAllocator(count);
  };
  const take = (lane: Lane, name: string, signal = new AbortController().signal): Promise<void> =>
    allocator.acquire(lane, signal).then((slot) => {
      if (!slot) return;
      served.push(name);
      slots.set(name, slot);
    });
  /** The names that have a slot, once all promises have settled. */
  const settled = async (): Promise<string[]> => {
    await new Promise((resolve) => setImmediate(resolve));
    return served;
  };
  const end = (name: string): void => slots.get(name)?.release();

  it('gives all slots to the interactive lane, and all but one to the background', async () => {
    open(3);
    for (const name of ['b1', 'b2', 'b3']) void take('background', name);
    expect(await settled()).toEqual(['b1', 'b2']);
    for (const name of ['i1', 'i2']) void take('interactive', name);
    expect(await settled()).toEqual(['b1', 'b2', 'i1']);
    end('b1');
    expect(await settled()).toEqual(['b1', 'b2', 'i1', 'i2']);
  });

  it('is full when its last slot is taken, and until one is released', async () => {
    open(2);
    void take('background', 'b1');
    await settled();
    expect(allocator.isFull()).toBe(false);
    void take('interactive', 'i1');
    await settled();
    expect(allocator.isFull()).toBe(true);
    end('b1');
    expect(allocator.isFull()).toBe(false);
  });

  it('gives its only slot to either lane, to the interactive one first', async () => {
    open(1);
    void take('background', 'b1');
    void take('background', 'b2');
    void take('interactive', 'i1');
    expect(await settled()).toEqual(['b1']);
    end('b1');
    expect(await settled()).toEqual(['b1', 'i1']);
    end('i1');
    expect(await settled()).toEqual(['b1', 'i1', 'b2']);
  });

  it('keeps the order within a lane', async () => {
    open(2);
    for (const name of ['b1', 'b2', 'b3']) void take('background', name);
    await settled();
    end('b1');
    await settled();
    end('b2');
    expect(await settled()).toEqual(['b1', 'b2', 'b3']);
  });

  it('forgets a request that is aborted', async () => {
    open(1);
    await take('background', 'b1');
    const aborting = new AbortController();
    const aborted = take('background', 'b2', aborting.signal);
    void take('background', 'b3');
    aborting.abort();
    await aborted;
    end('b1');
    expect(await settled()).toEqual(['b1', 'b3']);
  });

  it('gives no slot to a request that was aborted before it was made', async () => {
    open(1);
    await take('background', 'b1', AbortSignal.abort());
    await take('background', 'b2');
    expect(served).toEqual(['b2']);
  });

  it('counts a slot once however often it is released', async () => {
    open(2);
    await take('interactive', 'i1');
    end('i1');
    end('i1');
    for (const name of ['i2', 'i3', 'i4']) void take('interactive', name);
    expect(await settled()).toEqual(['i1', 'i2', 'i3']);
  });

  it('can use as many entries as there are slots for the lane', async () => {
    open(3);
    const usable = () => [allocator.usableEntries('interactive'), allocator.usableEntries('background')];
    expect(usable()).toEqual([3, 2]);
    await take('background', 'b1');
    expect(usable()).toEqual([2, 2]);
    await take('background', 'b2');
    expect(usable()).toEqual([1, 2]);
    await take('interactive', 'i1');
    expect(usable()).toEqual([1, 2]);
    end('b1');
    expect(usable()).toEqual([2, 2]);
    await take('interactive', 'i2');
    expect(usable()).toEqual([2, 1]);
    end('b2');
    await take('interactive', 'i3');
    expect(usable()).toEqual([3, 0]);
  });

  it('gives more slots when it grows, and takes none away when it shrinks', async () => {
    open(2);
    for (const name of ['b1', 'b2', 'b3']) void take('background', name);
    expect(await settled()).toEqual(['b1']);
    allocator.resize(4);
    expect(await settled()).toEqual(['b1', 'b2', 'b3']);
    allocator.resize(2);
    expect(allocator.isFull()).toBe(true);
    void take('interactive', 'i1');
    end('b1');
    expect(await settled()).toEqual(['b1', 'b2', 'b3']);
    end('b2');
    expect(await settled()).toEqual(['b1', 'b2', 'b3', 'i1']);
  });

  it('keeps one free slot for the background while the turn is its, and only if the background may have it', async () => {
    let keeps = true;
    allocator = new SlotAllocator(3, () => keeps);
    for (const name of ['i1', 'i2', 'i3']) void take('interactive', name);
    expect(await settled()).toEqual(['i1', 'i2']);
    expect([allocator.isKeeping(), allocator.usableEntries('interactive')]).toEqual([true, 2]);
    await take('background', 'b1');
    end('i1');
    void take('background', 'b2');
    expect(await settled()).toEqual(['i1', 'i2', 'b1', 'b2']);
    expect(allocator.isKeeping()).toBe(false);
    end('i2');
    // The background has all slots that it may have.
    expect(await settled()).toEqual(['i1', 'i2', 'b1', 'b2', 'i3']);
    end('i3');
    end('b1');
    void take('interactive', 'i4');
    void take('interactive', 'i5');
    await settled();
    keeps = false;
    allocator.resize(3);
    expect((await settled()).slice(5)).toEqual(['i4', 'i5']);
  });

  it('reserves more places for the interactive lane when it has many slots', async () => {
    open(16);
    for (let i = 0; i < 16; i += 1) void take('background', `b${i}`);
    expect(await settled()).toHaveLength(14);
  });
});
