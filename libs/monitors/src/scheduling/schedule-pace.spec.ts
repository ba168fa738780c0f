import { beforeEach, describe, expect, it } from '@jest/globals';
import { SchedulePace } from './schedule-pace.js';

describe('the pace of the scheduler', () => {
  let pace: SchedulePace;

  beforeEach(() => {
    pace = new SchedulePace(100);
  });

  /** The times of the looks and of those that take monitors, with one tick each second. */
  const ticks = (seconds: number, dueForMs: (now: number) => number | null) => {
    const looks: number[] = [];
    const takes: number[] = [];
    for (let now = 0; now < seconds * 1_000; now += 1_000) {
      if (!pace.isTimeToLook(now)) continue;
      looks.push(now);
      if (pace.isTimeToTake(now, dueForMs(now))) takes.push(now);
    }
    return { looks, takes };
  };

  it('takes a lone monitor at the first tick after its instant', () => {
    expect(ticks(30, (now) => (now <= 20_000 ? now - 19_500 : null)).takes).toEqual([20_000]);
  });

  it('looks every other second while nothing is due, and at the next tick when something will be', () => {
    expect(ticks(7, () => null).looks).toEqual([0, 2_000, 4_000, 6_000]);
    pace = new SchedulePace(100);
    expect(ticks(4, (now) => now - 2_500).looks).toEqual([0, 2_000, 3_000]);
  });

  it('gathers monitors that are due all the time, so that none waits for more than four seconds', () => {
    let lastTaken = 0;
    const { looks, takes } = ticks(60, (now) => {
      const dueFor = now - lastTaken;
      if (dueFor >= 2_000) lastTaken = now;
      return dueFor;
    });
    expect(looks.length).toBeLessThanOrEqual(16);
    expect(Math.max(...takes.map((now, i) => now - (takes[i - 1] ?? now)))).toBe(4_000);
  });

  it('does not wait for others when very many were due', () => {
    expect(pace.isTimeToTake(0, 500)).toBe(true);
    expect(pace.isTimeToLook(1_000)).toBe(false);
    pace.taken(100);
    expect(pace.isTimeToLook(1_000)).toBe(true);
    expect(pace.isTimeToTake(1_000, 500)).toBe(true);
    pace.taken(1);
    expect(pace.isTimeToLook(2_000)).toBe(false);
  });

  it('stays behind a process that takes all, and takes them when that one has ended', () => {
    const ended = 39_000;
    // Both look at the same moments at first.
    const takenAt = (now: number) => Math.floor(Math.min(now, ended) / 4_000) * 4_000;
    const looks: number[] = [];
    const takes: number[] = [];
    for (let now = 0; now < 60_000; now += 1_000) {
      if (!pace.isTimeToLook(now)) continue;
      looks.push(now);
      const dueFor = now - takenAt(now - 1);
      if (!pace.isTimeToTake(now, dueFor)) continue;
      takes.push(now);
      pace.taken(now <= ended ? 0 : 1);
    }
    expect(takes.filter((now) => now <= ended)).toEqual([0]);
    expect(looks.filter((now) => now <= ended).length).toBeLessThanOrEqual(14);
    expect(Math.min(...takes.filter((now) => now > ended))).toBeLessThanOrEqual(ended + 6_000);
  });
});
