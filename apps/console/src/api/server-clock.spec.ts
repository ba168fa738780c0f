import { beforeEach, describe, expect, it } from '@jest/globals';
import { age } from '../ui/format.js';
import { ServerClock } from './server-clock.js';

/** What the browser believes. */
const LOCAL = Date.parse('2026-11-22T12:00:00.000Z');

describe('the clock of the service', () => {
  let local = LOCAL;
  let clock: ServerClock;

  beforeEach(() => {
    local = LOCAL;
    clock = new ServerClock(() => local);
  });

  /** An answer that takes 40 ms, from a service whose clock is ahead by so many ms. */
  const answer = (aheadMs: number): void => {
    const sentMs = local;
    local += 40;
    clock.note({ date: new Date(sentMs + 20 + aheadMs).toUTCString(), sentMs, receivedMs: local });
  };

  it('is that of the browser until the service has answered', () => {
    expect(clock.now()).toBe(LOCAL);
    clock.note({ date: null, sentMs: LOCAL, receivedMs: LOCAL });
    expect(clock.now()).toBe(LOCAL);
  });

  it.each([300_000, -300_000, 5_000, 0])('is known to the second when it is ahead by %d ms', (ahead) => {
    answer(ahead);
    expect(Math.abs(clock.now() - (local + ahead))).toBeLessThan(1_000);
    expect(clock.serverTimeOf(LOCAL)).toBe(clock.now() - (local - LOCAL));
  });

  it('says of what the service has just made that it is now', () => {
    answer(300_000);
    expect(age(new Date(local + 300_000).toISOString(), clock.now())).toBe('now');
  });

  it('is known better with each answer', () => {
    for (let i = 0; i < 20; i++) {
      answer(4_321);
      local += 777;
    }
    expect(Math.abs(clock.now() - (local + 4_321))).toBeLessThan(100);
  });

  it('follows when one of the clocks is set', () => {
    answer(300_000);
    answer(0);
    expect(Math.abs(clock.now() - local)).toBeLessThan(1_000);
  });

  it('notifies those who show times, until they no longer do', () => {
    let times = 0;
    const leave = clock.subscribe(() => times++);
    answer(0);
    leave();
    answer(0);
    expect(times).toBe(1);
  });
});
