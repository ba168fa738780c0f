import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { watchAnswers } from './answer-watch.js';
import type { Watch } from './watchdog.js';

describe(watchAnswers.name, () => {
  let lastMessageAt = 0;
  let isRunnable = false;
  let watch: Watch;
  const ask = jest.fn(() => Promise.resolve());
  const onMute = jest.fn();

  beforeEach(() => {
    jest.useFakeTimers();
    jest.clearAllMocks();
    isRunnable = false;
    watch = watchAnswers({ lastMessageAt: () => lastMessageAt, ask, isRunnable: () => isRunnable });
    void watch.excess.then(({ code }) => onMute(code));
  });

  afterEach(() => {
    watch.end();
    jest.useRealTimers();
  });

  const passSeconds = async (count: number, isHeard: boolean): Promise<void> => {
    for (let seconds = 0; seconds < count; seconds += 1) {
      if (isHeard) lastMessageAt += 1;
      await jest.advanceTimersByTimeAsync(1_000);
    }
  };

  it('asks nothing while messages come', async () => {
    await passSeconds(60, true);
    expect(ask).not.toHaveBeenCalled();
  });

  it('asks once after a silence, and again only after another one', async () => {
    await passSeconds(4, false);
    expect(ask).toHaveBeenCalledTimes(1);
    await passSeconds(1, true);
    await passSeconds(2, false);
    expect(ask).toHaveBeenCalledTimes(2);
  });

  it('calls a browser mute after five seconds in which nothing came', async () => {
    await passSeconds(4, false);
    expect(onMute).not.toHaveBeenCalled();
    await passSeconds(1, false);
    expect(onMute).toHaveBeenCalledWith('browser_crashed');
  });

  it('waits longer for a browser that has no core, and not without limit', async () => {
    isRunnable = true;
    await passSeconds(14, false);
    expect(onMute).not.toHaveBeenCalled();
    await passSeconds(1, false);
    expect(onMute).toHaveBeenCalledWith('browser_crashed');
  });

  it('never calls one mute whose every answer is late', async () => {
    for (let times = 0; times < 10; times += 1) {
      await passSeconds(4, false);
      await passSeconds(1, true);
    }
    expect(onMute).not.toHaveBeenCalled();
  });

  it('does nothing more after its end', async () => {
    watch.end();
    await passSeconds(10, false);
    expect([ask, onMute].flatMap(({ mock }) => mock.calls)).toEqual([]);
  });
});
