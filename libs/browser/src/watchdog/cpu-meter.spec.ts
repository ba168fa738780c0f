import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CpuMeter } from './cpu-meter.js';

describe(CpuMeter.name, () => {
  const used = (cpuS: number): [number, { processes: number; bytes: number; cpuS: number }] => [
    7,
    { processes: 1, bytes: 0, cpuS },
  ];

  // The time of the process itself is real, so that it is some hundredths of a core.
  beforeEach(() => void jest.useFakeTimers());

  afterEach(() => void jest.useRealTimers());

  it('tells how many cores a browser has used since the last reading', () => {
    const meter = new CpuMeter();
    meter.read(new Map([used(10)]));
    jest.advanceTimersByTime(1_000);
    const cores = meter.read(new Map([used(12)]));
    expect(cores).toBeGreaterThanOrEqual(2);
    expect(cores).toBeLessThan(2.5);
  });

  it('counts a browser from its second reading on', () => {
    const meter = new CpuMeter();
    meter.read(new Map());
    jest.advanceTimersByTime(1_000);
    expect(meter.read(new Map([used(100)]))).toBeLessThan(0.5);
  });

  it('counts nothing for a browser whose processes have ended, or that was not read for long', () => {
    const meter = new CpuMeter();
    meter.read(new Map([used(100)]));
    jest.advanceTimersByTime(1_000);
    expect(meter.read(new Map([used(90)]))).toBeLessThan(0.5);
    jest.advanceTimersByTime(60_000);
    expect(meter.read(new Map([used(500)]))).toBe(0);
  });
});
