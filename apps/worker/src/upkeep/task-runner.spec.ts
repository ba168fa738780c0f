import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { UpkeepMetrics } from '../metrics/upkeep.metrics.js';
import { TaskRunner } from './periodic-tasks.service.js';

describe(TaskRunner.name, () => {
  let started = 0;
  let signals: AbortSignal[] = [];
  let failures: string[] = [];
  let end: (error?: Error) => void = () => undefined;
  let wake: () => void = () => undefined;
  let runner: TaskRunner;

  /** Counts as `UpkeepMetrics` does. */
  const metrics = {
    expose: (task: string) => void failures.push(`${task}: none yet`),
    countFailure: <T>(task: string, run: () => Promise<T>): Promise<T> =>
      run().catch((error: unknown) => {
        failures.push(task);
        throw error;
      }),
  } as unknown as UpkeepMetrics;

  const settle = (): Promise<void> => jest.advanceTimersByTimeAsync(0);

  beforeEach(async () => {
    jest.useFakeTimers();
    Logger.overrideLogger(false);
    started = 0;
    signals = [];
    failures = [];
    const run = (signal: AbortSignal): Promise<void> => {
      started++;
      signals.push(signal);
      return new Promise((resolve, reject) => {
        end = (error) => {
          if (error) reject(error);
          else resolve();
        };
      });
    };
    const onStart = async (notify: () => void): Promise<void> => {
      wake = notify;
    };
    runner = new TaskRunner({ name: 'test', periodMs: 1_000, run, onStart }, metrics);
    await runner.start();
  });

  afterEach(async () => {
    const stopped = runner.stop();
    end();
    await stopped;
    jest.useRealTimers();
  });

  it('starts with a run at once', () => {
    expect(started).toBe(1);
  });

  it('never starts a run while one is in progress, and continues when it has ended', async () => {
    await jest.advanceTimersByTimeAsync(5_000);
    expect(started).toBe(1);
    end();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(started).toBe(2);
  });

  it('starts a run when it is woken, and one more after a run that was in progress', async () => {
    wake();
    wake();
    await settle();
    expect(started).toBe(1);
    end();
    await settle();
    expect(started).toBe(2);
    end();
    await settle();
    expect(started).toBe(2);
    wake();
    await settle();
    expect(started).toBe(3);
  });

  it('counts a run that failed, and continues after it', async () => {
    expect(failures).toEqual(['test: none yet']);
    end(new Error('no'));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(failures).toEqual(['test: none yet', 'test']);
    expect(started).toBe(2);
  });

  it('aborts the signal of the current run when it is stopped, waits for it, and starts no other', async () => {
    let isStopped = false;
    const stopped = runner.stop().then(() => (isStopped = true));
    expect(signals[0]?.aborted).toBe(true);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(isStopped).toBe(false);
    end();
    await stopped;
    expect(started).toBe(1);
  });
});
