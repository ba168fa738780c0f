import { describe, expect, it } from '@jest/globals';
import { Bell } from './bell.js';

const never = new AbortController().signal;

describe(Bell.name, () => {
  it('wakes who waits', async () => {
    const bell = new Bell();
    const waiting = bell.wait(never);
    bell.ring();
    await expect(waiting).resolves.toBeUndefined();
  });

  it('keeps a ring for who comes later, and keeps it once', async () => {
    const bell = new Bell();
    bell.ring();
    bell.ring();
    await bell.wait(never);
    const again = Promise.race([
      bell.wait(never).then(() => 'rung'),
      new Promise((resolve) => setImmediate(resolve, 'silence')),
    ]);
    expect(await again).toBe('silence');
  });

  it('wakes when the signal aborts, also when it has already', async () => {
    const end = new AbortController();
    const waiting = new Bell().wait(end.signal);
    end.abort();
    await waiting;
    await new Bell().wait(end.signal);
  });
});
