import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { UnknownNameError } from './resolver.js';
import { NameServersAwayError, WatchedResolver } from './watched-resolver.js';

Logger.overrideLogger(false);

describe(WatchedResolver.name, () => {
  let checks: number;
  let areAway: boolean;
  let lookup: () => Promise<string[]>;
  let resolver: WatchedResolver;

  beforeEach(() => {
    jest.useFakeTimers();
    [checks, areAway] = [0, true];
    lookup = () => Promise.reject(new Error('getaddrinfo EAI_AGAIN'));
    const check = (): Promise<void> => {
      checks += 1;
      return areAway ? Promise.reject(new Error('ETIMEOUT')) : Promise.resolve();
    };
    resolver = new WatchedResolver({ resolve: () => lookup() }, { check });
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  const recheck = async (): Promise<number> => {
    resolver.recheck();
    await jest.advanceTimersByTimeAsync(0);
    return checks;
  };

  it('checks name servers that are away once a second, and not any more once they answer', async () => {
    expect(await recheck()).toBe(0);
    await expect(resolver.resolve('a.example')).rejects.toThrow(NameServersAwayError);
    expect(await recheck()).toBe(1);
    jest.advanceTimersByTime(999);
    expect(await recheck()).toBe(1);
    jest.advanceTimersByTime(1);
    areAway = false;
    expect([await recheck(), resolver.areServersAway]).toEqual([2, false]);
    jest.advanceTimersByTime(1_000);
    expect(await recheck()).toBe(2);
  });

  it('gives up a lookup without an answer after five seconds, which may be the fault of the name servers', async () => {
    lookup = () => new Promise(() => undefined);
    const resolving = expect(resolver.resolve('a.example')).rejects.toThrow(NameServersAwayError);
    await jest.advanceTimersByTimeAsync(4_999);
    expect(checks).toBe(0);
    await jest.advanceTimersByTimeAsync(1);
    expect(checks).toBe(1);
    await resolving;
  });

  it('asks the name servers nothing about a name that does not exist', async () => {
    lookup = () => Promise.reject(new UnknownNameError('a.example'));
    await expect(resolver.resolve('a.example')).rejects.toThrow(UnknownNameError);
    expect(checks).toBe(0);
  });
});
