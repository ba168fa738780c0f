import { describe, expect, it } from '@jest/globals';
import { Watchers } from './watchers.js';

interface Task {
  readonly isDone: boolean;
}

describe('Watchers.readAtEnd', () => {
  const wait = (watchers: Watchers, read: () => Task, timeoutMs = 60_000, signal?: AbortSignal) =>
    watchers.readAtEnd('task', () => true, {
      read: () => Promise.resolve(read()),
      isFinal: ({ isDone }) => isDone,
      timeoutMs,
      signal,
    });
  const open = () => new Watchers(60_000, () => Promise.resolve(new Map<string, string>()));

  it('returns a record at once that is final', async () => {
    expect(await wait(open(), () => ({ isDone: true }))).toEqual({ isDone: true });
  });

  it('reads a record that is known only once something has happened to it', async () => {
    const watchers = open();
    let reads = 0;
    const record = watchers.readAtEnd('task', () => true, {
      read: () => Promise.resolve({ isDone: ++reads > 0 }),
      isFinal: ({ isDone }) => isDone,
      timeoutMs: 60_000,
      known: { isDone: false },
    });
    await new Promise(setImmediate);
    expect(reads).toBe(0);
    watchers.notify('task', null);
    expect(await record).toEqual({ isDone: true });
    expect(reads).toBe(1);
  });

  it('goes on waiting after a notification of an earlier end', async () => {
    const watchers = open();
    const answers = [{ isDone: false }, { isDone: false }, { isDone: true }];
    let reads = 0;
    const record = wait(watchers, () => {
      setImmediate(() => {
        watchers.notify('task', null);
      });
      return answers[reads++] as Task;
    });
    expect(await record).toEqual({ isDone: true });
    expect(reads).toBe(3);
    expect(watchers.size).toBe(0);
  });

  it('returns the record as it is when the time is over, or when the caller has gone', async () => {
    const watchers = open();
    expect(await wait(watchers, () => ({ isDone: false }), 1)).toEqual({ isDone: false });
    const gone = AbortSignal.abort();
    expect(await wait(watchers, () => ({ isDone: false }), 60_000, gone)).toEqual({ isDone: false });
    expect(watchers.size).toBe(0);
  });
});
