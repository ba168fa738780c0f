import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Lane } from '@app/jobs';
import { SlotGate, type Slot } from './slot-gate.js';

describe(SlotGate.name, () => {
  let gate: SlotGate;
  let served: string[];
  let slots: Map<string, Slot>;

  beforeEach(() => {
    served = [];
    slots = new Map();
  });

  const open = (count: number): void => {
    gate = new SlotGate(count);
  };
  const take = (lane: Lane, name: string, signal = new AbortController().signal): Promise<void> =>
    gate.take(lane, signal).then((slot) => {
      if (!slot) return;
      served.push(name);
      slots.set(name, slot);
    });
  /** Lets what has been promised happen. */
  const settled = async (): Promise<string[]> => {
    await new Promise((resolve) => setImmediate(resolve));
    return served;
  };
  const end = (name: string): void => slots.get(name)?.free();

  it('gives all slots to those who wait, and all but one to the background', async () => {
    open(3);
    for (const name of ['b1', 'b2', 'b3']) void take('background', name);
    expect(await settled()).toEqual(['b1', 'b2']);
    for (const name of ['i1', 'i2']) void take('interactive', name);
    expect(await settled()).toEqual(['b1', 'b2', 'i1']);
    end('b1');
    expect(await settled()).toEqual(['b1', 'b2', 'i1', 'i2']);
  });

  it('gives its only slot to either, first to those who wait', async () => {
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

  it('lets go of who no longer waits', async () => {
    open(1);
    await take('background', 'b1');
    const impatient = new AbortController();
    const leaving = take('background', 'b2', impatient.signal);
    void take('background', 'b3');
    impatient.abort();
    await leaving;
    end('b1');
    expect(await settled()).toEqual(['b1', 'b3']);
  });

  it('gives nothing to who has left before asking', async () => {
    open(1);
    await take('background', 'b1', AbortSignal.abort());
    await take('background', 'b2');
    expect(served).toEqual(['b2']);
  });

  it('counts a slot once however often it is freed', async () => {
    open(2);
    await take('interactive', 'i1');
    end('i1');
    end('i1');
    for (const name of ['i2', 'i3', 'i4']) void take('interactive', name);
    expect(await settled()).toEqual(['i1', 'i2', 'i3']);
  });

  it('wants as many entries as it has slots for', async () => {
    open(3);
    const appetites = () => [gate.appetite('interactive'), gate.appetite('background')];
    expect(appetites()).toEqual([3, 2]);
    await take('background', 'b1');
    expect(appetites()).toEqual([2, 2]);
    await take('background', 'b2');
    expect(appetites()).toEqual([1, 2]);
    await take('interactive', 'i1');
    expect(appetites()).toEqual([1, 2]);
    end('b1');
    expect(appetites()).toEqual([2, 2]);
    await take('interactive', 'i2');
    expect(appetites()).toEqual([2, 1]);
    end('b2');
    await take('interactive', 'i3');
    expect(appetites()).toEqual([3, 0]);
  });
});
