import { beforeEach, describe, expect, it } from '@jest/globals';
import { LaneTurns, STARTS_PER_BACKGROUND } from './lane-turns.js';

describe(LaneTurns.name, () => {
  let turns: LaneTurns;

  beforeEach(() => {
    turns = new LaneTurns();
  });

  const after = (interactive: number | null, background: number | null): boolean => {
    turns.update({ interactive, background });
    return turns.isBackgroundNext();
  };

  it('keeps no slot while nothing waits, or one lane only', () => {
    expect(turns.isBackgroundNext()).toBe(false);
    expect([after(null, null), after(1, null), after(null, 1)]).toEqual([false, false, false]);
  });

  it('gives the slot to the account that runs the fewest captures, among equals to the synchronous one', () => {
    expect([after(1, 1), after(3, 1), after(3, 2), after(2, 2), after(1, 2)]).toEqual([
      false,
      true,
      true,
      false,
      false,
    ]);
  });

  it('gives one of so many starts to the background, however many synchronous captures wait', () => {
    const started = Array.from({ length: 3 * STARTS_PER_BACKGROUND }, () => {
      const lane = after(1, 5) ? 'background' : 'interactive';
      turns.started(lane);
      return lane;
    });
    const turn = [...Array<string>(STARTS_PER_BACKGROUND - 1).fill('interactive'), 'background'];
    expect(started).toEqual([...turn, ...turn, ...turn]);
  });

  it('lets the lanes take turns among accounts that run as many captures as each other', () => {
    const started = Array.from({ length: 5 }, () => {
      const lane = after(1, 1) ? 'background' : 'interactive';
      turns.started(lane);
      return lane;
    });
    expect(started).toEqual(['interactive', 'background', 'interactive', 'background', 'interactive']);
  });

  it('keeps the turn that it gave while a job waits, although the other account runs less by now', () => {
    turns.update({ interactive: 2, background: 1 });
    expect(turns.giveTurn()).toBe(true);
    expect(after(1, 1)).toBe(true);
    turns.started('background');
    expect(after(1, 1)).toBe(false);
    turns.update({ interactive: 2, background: 1 });
    expect([turns.giveTurn(), after(1, null), after(1, 1)]).toEqual([true, false, false]);
  });

  it('counts only starts for which the background waited', () => {
    for (let n = 0; n < STARTS_PER_BACKGROUND; n++) {
      turns.update({ interactive: 1, background: null });
      turns.started('interactive');
    }
    expect(after(1, 1)).toBe(false);
  });

  it('keeps no further slot before it is known that another job waits', () => {
    expect(after(3, 1)).toBe(true);
    turns.started('background');
    expect(turns.isBackgroundNext()).toBe(false);
  });

  it('lets a background job start when no synchronous capture waits, or when it is its turn', () => {
    const may = (interactive: number | null, background: number): boolean => {
      turns.update({ interactive, background });
      return turns.mayStartBackground();
    };
    expect([may(null, 4), may(1, 1), may(3, 1)]).toEqual([true, false, true]);
  });

  it('keeps nothing after the turn was skipped', () => {
    expect(after(3, 1)).toBe(true);
    turns.skipBackground();
    expect(turns.isBackgroundNext()).toBe(false);
  });
});
