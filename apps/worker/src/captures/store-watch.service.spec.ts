import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { AppError } from '@app/kernel';
import { MemoryStorage } from '@app/storage';
import { StoreWatchService } from './store-watch.service.js';

Logger.overrideLogger(false);

/** A store that may take no files, and counts how often it is checked. */
class CheckedStorage extends MemoryStorage {
  isAway = false;
  checks = 0;

  override check(): Promise<void> {
    this.checks += 1;
    return this.isAway ? Promise.reject(new AppError('storage_unavailable')) : Promise.resolve();
  }
}

describe(StoreWatchService.name, () => {
  let storage: CheckedStorage;
  let watch: StoreWatchService;

  beforeEach(() => {
    jest.useFakeTimers();
    storage = new CheckedStorage();
    watch = new StoreWatchService(storage);
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  const failWith = (error: Error): Promise<void> => watch.observe(() => Promise.reject(error));

  it('takes a file that was stored in the last two seconds for a proof, and checks the store without one', async () => {
    expect([await watch.isAvailable(), storage.checks]).toEqual([true, 1]);
    jest.advanceTimersByTime(2_000);
    await watch.observe(() => Promise.resolve('a stored file'));
    jest.advanceTimersByTime(1_999);
    expect([await watch.isAvailable(), storage.checks]).toEqual([true, 1]);
    jest.advanceTimersByTime(1);
    storage.isAway = true;
    expect([await watch.isAvailable(), storage.checks]).toEqual([false, 2]);
  });

  it('knows from a file that could not be stored that the store is down, and from no other failure', async () => {
    const other = new AppError('internal');
    await expect(failWith(other)).rejects.toBe(other);
    expect(watch.isDown).toBe(false);
    await expect(failWith(new AppError('storage_unavailable'))).rejects.toThrow();
    expect([watch.isDown, await watch.isAvailable(), storage.checks]).toEqual([true, false, 0]);
    await watch.observe(() => Promise.resolve());
    expect(watch.isDown).toBe(false);
  });

  it('checks a store that is down once a second, until it takes files again', async () => {
    watch.recheck();
    expect(storage.checks).toBe(0);
    storage.isAway = true;
    await watch.isAvailable();
    const recheck = async (): Promise<number> => {
      watch.recheck();
      watch.recheck();
      await jest.advanceTimersByTimeAsync(0);
      return storage.checks;
    };
    expect(await recheck()).toBe(1);
    jest.advanceTimersByTime(1_000);
    expect([await recheck(), watch.isDown]).toEqual([2, true]);
    storage.isAway = false;
    jest.advanceTimersByTime(1_000);
    expect([await recheck(), watch.isDown]).toEqual([3, false]);
  });

  it('counts a store as down that does not answer a check within five seconds', async () => {
    storage.check = () => new Promise(() => undefined);
    const available = watch.isAvailable();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(await available).toBe(false);
  });
});
