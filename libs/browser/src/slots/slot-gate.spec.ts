import { describe, expect, it } from '@jest/globals';
import { SlotGate } from './slot-gate.js';

function usableAfter(periods: number, { busy, share }: { busy?: number; share: number }): number {
  const gate = new SlotGate({ min: 4, max: 16 });
  for (let i = 0; i < periods; i += 1) gate.note(busy ?? gate.usable, share);
  return gate.usable;
}

describe(SlotGate.name, () => {
  it('opens all slots to captures that wait', () => {
    expect(usableAfter(30, { share: 0.3 })).toBe(16);
  });

  it('opens no further slot to captures that compute, or that nothing waits for', () => {
    expect(usableAfter(30, { share: 0.9 })).toBe(4);
    expect(usableAfter(30, { share: 1 })).toBe(4);
    expect(usableAfter(30, { share: 0.1, busy: 2 })).toBe(4);
  });

  it('takes slots away, down to the minimum, when captures begin to compute', () => {
    const gate = new SlotGate({ min: 4, max: 16 });
    for (let i = 0; i < 9; i += 1) gate.note(gate.usable, 0.5);
    const open = gate.usable;
    for (let i = 0; i < 8; i += 1) gate.note(open, 1);
    expect(gate.usable).toBeLessThan(open);
    expect(gate.usable).toBeGreaterThan(4);
    for (let i = 0; i < 30; i += 1) gate.note(open, 1);
    expect(gate.usable).toBe(4);
  });

  it('keeps its slots when captures use all cores at the same moment, and none in between', () => {
    const gate = new SlotGate({ min: 4, max: 16 });
    for (let i = 0; i < 12; i += 1) gate.note(gate.usable, 0.2);
    expect(gate.usable).toBe(16);
    for (let i = 0; i < 60; i += 1) {
      gate.note(16, i % 6 < 3 ? 1 : 0.1);
      expect(gate.usable).toBe(16);
    }
  });
});
