import { describe, expect, it } from '@jest/globals';
import { ConcurrencyLimit } from './concurrency-limit.js';

/** Work that is ended from outside, and the names of what has begun. */
function startWork(limit: ConcurrencyLimit) {
  const began: string[] = [];
  const start = (name: string, signal?: AbortSignal, owner?: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const run = limit.run(
      () => {
        began.push(name);
        return promise;
      },
      signal,
      owner,
    );
    return { run, end: () => resolve(name), fail: () => reject(new Error(name)) };
  };
  return { began, start };
}

describe(ConcurrencyLimit, () => {
  it('runs no more work at once, and the rest in its order', async () => {
    const { began, start } = startWork(new ConcurrencyLimit(2));
    const [a, b, c, d] = [start('a'), start('b'), start('c'), start('d')] as const;
    expect(began).toEqual(['a', 'b']);
    b.end();
    expect(await b.run).toBe('b');
    a.end();
    await a.run;
    c.end();
    d.end();
    expect(await Promise.all([c.run, d.run])).toEqual(['c', 'd']);
    expect(began).toEqual(['a', 'b', 'c', 'd']);
  });

  it('takes turns by whom the work belongs to', async () => {
    const { began, start } = startWork(new ConcurrencyLimit(1));
    const of = (owner: string, ...names: string[]) => names.map((name) => start(name, undefined, owner));
    const calls = [...of('a', 'a1', 'a2', 'a3', 'a4'), ...of('b', 'b1', 'b2'), ...of('c', 'c1')];
    for (const { end } of calls) end();
    await Promise.all(calls.map(({ run }) => run));
    expect(began).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('goes on after work that failed', async () => {
    const { began, start } = startWork(new ConcurrencyLimit(1));
    const [a, b] = [start('a'), start('b')] as const;
    a.fail();
    await expect(a.run).rejects.toThrow('a');
    b.end();
    expect(await b.run).toBe('b');
    expect(began).toEqual(['a', 'b']);
  });

  it('does not begin work whose signal aborted while it waited', async () => {
    const { began, start } = startWork(new ConcurrencyLimit(1));
    const controller = new AbortController();
    const [a, b, c] = [start('a'), start('b', controller.signal), start('c')] as const;
    controller.abort(new Error('canceled'));
    await expect(b.run).rejects.toThrow('canceled');
    a.end();
    c.end();
    await Promise.all([a.run, c.run]);
    expect(began).toEqual(['a', 'c']);
  });

  it('passes on the turn of work that is aborted when its turn comes', async () => {
    const { began, start } = startWork(new ConcurrencyLimit(1));
    const controller = new AbortController();
    const [a, b, c] = [start('a'), start('b', controller.signal), start('c')] as const;
    a.end();
    // Before its wait has noticed.
    void a.run.then(() => controller.abort(new Error('canceled')));
    await expect(b.run).rejects.toThrow('canceled');
    c.end();
    expect(await c.run).toBe('c');
    expect(began).toEqual(['a', 'c']);
  });
});
