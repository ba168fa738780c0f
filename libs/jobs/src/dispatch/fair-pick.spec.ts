import { describe, expect, it } from '@jest/globals';
import { pickFairly, type InFlight, type Room, type Waiting } from './fair-pick.js';

/** `a1` is the first waiting job of account `a`; with a host, `a1@x`; as a row of the batch `p`, `a1/p@x`. */
const jobsOf = (text: string): Waiting[] =>
  text.split(' ').map((word) => {
    const [, id = '', batchId = null, host = null] = /^([^/@]+)(?:\/(\w+))?(?:@(\w+))?$/.exec(word) ?? [];
    return { id, accountId: id.slice(0, 1), batchId, host };
  });

interface Choice extends Partial<Omit<Room, 'inFlight'>> {
  readonly turns: string;
  readonly places?: number;
  readonly inFlight?: string;
}

const choose = (waiting: string, { turns, places = 100, inFlight = '', ...room }: Choice) => {
  const inFlightNow: InFlight[] = inFlight === '' ? [] : jobsOf(inFlight);
  return pickFairly(jobsOf(waiting), {
    slots: 0,
    capacity: inFlightNow.length + places,
    hostLimits: { all: 2, ofOneBatch: 1 },
    accounts: [...turns].map((accountId) => ({ accountId, free: 100 })),
    inFlight: inFlightNow,
    ...room,
  });
};

const pick = (waiting: string, choice: Choice): string =>
  choose(waiting, choice)
    .map(({ job }) => job.id)
    .join(' ');

describe(pickFairly, () => {
  it('lets accounts take turns, each in the order in which its jobs came', () => {
    expect(pick('a1 a2 a3 b1 b2', { turns: 'ab' })).toBe('a1 b1 a2 b2 a3');
  });

  it('begins with the account that was served longest ago', () => {
    expect(pick('a1 a2 b1 b2', { turns: 'ba', places: 3 })).toBe('b1 a1 b2');
  });

  it('counts what an account has in flight', () => {
    expect(pick('a1 a2 b1 b2 b3', { turns: 'ab', inFlight: 'a8 a9' })).toBe('b1 b2 a1 b3 a2');
  });

  it('says which of its account in flight each one is', () => {
    const picked = choose('a1 a2 b1', { turns: 'ab', inFlight: 'a7 a8 a9' });
    expect(picked.map(({ job, priority }) => `${job.id}:${priority}`)).toEqual(['b1:1', 'a1:4', 'a2:5']);
  });

  it('gives no account more than it has free', () => {
    const accounts = [
      { accountId: 'a', free: 1 },
      { accountId: 'b', free: 0 },
    ];
    expect(pick('a1 a2 b1', { turns: '', accounts })).toBe('a1');
  });

  it('knows only the accounts that it was given', () => {
    expect(pick('a1 b1', { turns: 'a' })).toBe('a1');
  });

  it('passes over jobs whose host is busy, over all accounts', () => {
    expect(pick('a1@x a2@x a3@y b1@x b2@y', { turns: 'ab' })).toBe('a1 b1 a3 b2');
  });

  it('counts what is in flight to a host', () => {
    expect(pick('a1@x a2@y', { turns: 'a', inFlight: 'c1@x d1@x' })).toBe('a2');
  });

  it('does not spare what has no host', () => {
    expect(pick('a1 a2 a3 a4', { turns: 'a' })).toBe('a1 a2 a3 a4');
  });

  it('keeps one batch from a host that others may still visit', () => {
    expect(pick('a1/p@x a2/p@y a3@x', { turns: 'a', inFlight: 'a9/p@x' })).toBe('a3 a2');
    expect(pick('a1/p@x a2/p@x a3/q@x', { turns: 'a' })).toBe('a1 a3');
  });

  it('lets the batches of an account take turns, and its single jobs before them', () => {
    expect(pick('a1/p a2/p a3/p a4/q a5/q a6 a7', { turns: 'a' })).toBe('a6 a1 a4 a7 a2 a5 a3');
  });

  it('counts what a batch has in flight, and gives an account no more for having many', () => {
    expect(pick('a1/p a2/q b1', { turns: 'ab', inFlight: 'a9/p' })).toBe('b1 a2 a1');
  });

  it('lets an account with less than its share in, although all places are taken', () => {
    const inFlight = 'a1 a2 a3 a4 a5 a6 a7 a8';
    expect(pick('a9 b1 b2 b3', { turns: 'ab', inFlight, places: 0, slots: 4 })).toBe('b1 b2');
    expect(pick('b1 b2 c1 c2', { turns: 'bc', inFlight, places: -1, slots: 4 })).toBe('b1 c1');
    expect(pick('b1 b2 c1 c2', { turns: 'bc', inFlight, places: 0, slots: 1 })).toBe('b1 c1');
  });

  it('ends when nothing is left, and gives nothing to who has his share without a place', () => {
    expect(pick('a1', { turns: 'ab', places: 5 })).toBe('a1');
    expect(pick('a1', { turns: 'a', places: 0, inFlight: 'a9' })).toBe('');
  });
});
