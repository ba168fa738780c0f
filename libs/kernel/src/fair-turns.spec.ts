import { describe, expect, it } from '@jest/globals';
import { FairTurns } from './fair-turns.js';

const LONG = { timeoutMs: 60_000, mayExceed: false };
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe(FairTurns.name, () => {
  /** Asks for turns in this order; `begun` names those that have one. */
  function ask(turns: FairTurns, names: readonly string[], options = LONG): { begun: string[] } {
    const begun: string[] = [];
    for (const name of names) {
      void turns.waitForTurn(name, options).then((hasTurn) => {
        if (hasTurn) begun.push(name);
      });
    }
    return { begun };
  }

  it('lets no owner have more turns than one may have, and leaves the others to the other owners', async () => {
    const turns = new FairTurns({ max: 4, maxOfOwner: 2 });
    const { begun } = ask(turns, ['a', 'a', 'a', 'a', 'b', 'c', 'd']);
    await settled();
    expect(begun).toEqual(['a', 'a', 'b', 'c']);
    expect([turns.waiting(), turns.waiting('a'), turns.waiting('d'), turns.waiting('x')]).toEqual([
      3, 2, 1, 0,
    ]);
    turns.end('b');
    await settled();
    expect(begun.slice(4)).toEqual(['d']);
    turns.end('a');
    turns.end('a');
    await settled();
    expect(begun.slice(5)).toEqual(['a', 'a']);
    for (const name of ['a', 'a', 'c', 'd']) turns.end(name);
    expect(turns.waiting()).toBe(0);
  });

  it('lets owners that wait take turns, however many calls each has', async () => {
    const turns = new FairTurns({ max: 1, maxOfOwner: 1 });
    const { begun } = ask(turns, ['a', 'a', 'a', 'a', 'b', 'b', 'c']);
    for (let i = 0; i < 7; i++) {
      await settled();
      turns.end(begun.at(-1) ?? '');
    }
    expect(begun).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a']);
  });

  it('gives a call that holds a turn already another one at once', async () => {
    const turns = new FairTurns({ max: 2, maxOfOwner: 1 });
    const { begun } = ask(turns, ['a', 'a']);
    const more = ask(turns, ['a'], { ...LONG, mayExceed: true });
    await settled();
    expect([begun, more.begun]).toEqual([['a'], ['a']]);
    turns.end('a');
    await settled();
    expect(begun).toEqual(['a']);
    turns.end('a');
    await settled();
    expect(begun).toEqual(['a', 'a']);
  });

  it('forgets a call that has waited for too long', async () => {
    const turns = new FairTurns({ max: 1, maxOfOwner: 1 });
    await turns.waitForTurn('a', LONG);
    expect(await turns.waitForTurn('b', { timeoutMs: 1, mayExceed: false })).toBe(false);
    expect(turns.waiting()).toBe(0);
    const { begun } = ask(turns, ['c']);
    turns.end('a');
    await settled();
    expect(begun).toEqual(['c']);
  });
});
