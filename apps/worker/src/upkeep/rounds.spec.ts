import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Rounds } from './rounds.js';

describe(Rounds.name, () => {
  let begun = 0;
  let signals: AbortSignal[] = [];
  let end: (error?: Error) => void = () => undefined;
  let rounds: Rounds;

  beforeEach(() => {
    jest.useFakeTimers();
    Logger.overrideLogger(false);
    begun = 0;
    signals = [];
    rounds = new Rounds('test', 1_000, (signal) => {
      begun++;
      signals.push(signal);
      return new Promise((resolve, reject) => {
        end = (error) => {
          if (error) reject(error);
          else resolve();
        };
      });
    });
    rounds.start();
  });

  afterEach(async () => {
    const stopped = rounds.stop();
    end();
    await stopped;
    jest.useRealTimers();
  });

  it('begins with one at once', () => {
    expect(begun).toBe(1);
  });

  it('leaves out those that are due while one is at work, and goes on when it is over', async () => {
    await jest.advanceTimersByTimeAsync(5_000);
    expect(begun).toBe(1);
    end();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(begun).toBe(2);
  });

  it('begins one when it is woken, and one more behind one that is at work', async () => {
    rounds.wake();
    rounds.wake();
    expect(begun).toBe(1);
    end();
    await jest.advanceTimersByTimeAsync(0);
    expect(begun).toBe(2);
    end();
    await jest.advanceTimersByTimeAsync(0);
    expect(begun).toBe(2);
    rounds.wake();
    expect(begun).toBe(3);
  });

  it('goes on after one that failed', async () => {
    end(new Error('no'));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(begun).toBe(2);
  });

  it('tells the one at work when the process ends, waits for it, and begins no other', async () => {
    let over = false;
    const stopped = rounds.stop().then(() => (over = true));
    expect(signals[0]?.aborted).toBe(true);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(over).toBe(false);
    end();
    await stopped;
    expect(begun).toBe(1);
  });
});
