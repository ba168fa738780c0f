import { describe, expect, it } from '@jest/globals';
import { pause, WakeUp } from './wake-up.js';

const never = new AbortController().signal;

describe(WakeUp.name, () => {
  it('wakes a waiting loop', async () => {
    const wakeUp = new WakeUp();
    const waiting = wakeUp.wait(never);
    wakeUp.notify();
    await expect(waiting).resolves.toBeUndefined();
  });

  it('keeps a notification for the next wait, and only for that', async () => {
    const wakeUp = new WakeUp();
    wakeUp.notify();
    wakeUp.notify();
    await wakeUp.wait(never);
    const again = Promise.race([
      wakeUp.wait(never).then(() => 'woken'),
      new Promise((resolve) => setImmediate(resolve, 'waiting')),
    ]);
    expect(await again).toBe('waiting');
  });

  it('wakes when the signal aborts, also when it has already', async () => {
    const end = new AbortController();
    const waiting = new WakeUp().wait(end.signal);
    end.abort();
    await waiting;
    await new WakeUp().wait(end.signal);
  });

  it('wakes after the timeout', async () => {
    await expect(new WakeUp().wait(never, 1)).resolves.toBeUndefined();
  });
});

describe(pause.name, () => {
  it('ends after its time, and without an error when the signal aborts', async () => {
    await expect(pause(1, never)).resolves.toBeUndefined();
    await expect(pause(60_000, AbortSignal.abort())).resolves.toBeUndefined();
  });
});
