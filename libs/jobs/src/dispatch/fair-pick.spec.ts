import { describe, expect, it } from '@jest/globals';
import { pickFairly, type DispatchCapacity, type InFlight, type PickableJob } from './fair-pick.js';

/** `a1` is a job of account `a`, `a1@x` one with the host `x`, `a1/p@x` one of the batch `p`. */
const jobsOf = (text: string): PickableJob[] =>
  text.split(' ').map((word) => {
    const [, id = '', batchId = null, host = null] = /^([^/@]+)(?:\/(\w+))?(?:@(\w+))?$/.exec(word) ?? [];
    return { id, accountId: id.slice(0, 1), batchId, host };
  });

interface Choice extends Partial<Omit<DispatchCapacity, 'inFlight'>> {
  /** The accounts, the one that was served longest ago first. */
  readonly served: string;
  readonly places?: number;
  readonly inFlight?: string;
}

const choose = (waiting: string, { served, places = 100, inFlight = '', ...capacity }: Choice) => {
  const inFlightNow: InFlight[] = inFlight === '' ? [] : jobsOf(inFlight);
  return pickFairly(jobsOf(waiting), {
    slots: 0,
    inAll: inFlightNow.length + places,
    hostLimits: { inAll: 2, ofOneBatch: 1 },
    accounts: [...served].map((accountId) => ({ accountId, free: 100 })),
    inFlight: inFlightNow,
    interactive: [],
    ...capacity,
  });
};

const pick = (waiting: string, choice: Choice): string =>
  choose(waiting, choice)
    .map(({ job }) => job.id)
    .join(' ');

describe(pickFairly, () => {
  it('alternates between accounts and keeps the order within each', () => {
    expect(pick('a1 a2 a3 b1 b2', { served: 'ab' })).toBe('a1 b1 a2 b2 a3');
  });

  it('begins with the account that was served longest ago', () => {
    expect(pick('a1 a2 b1 b2', { served: 'ba', places: 3 })).toBe('b1 a1 b2');
  });

  it('counts what an account has in flight', () => {
    expect(pick('a1 a2 b1 b2 b3', { served: 'ab', inFlight: 'a8 a9' })).toBe('b1 b2 a1 b3 a2');
  });

  it('numbers the jobs of an account in flight as their priority', () => {
    const picked = choose('a1 a2 b1', { served: 'ab', inFlight: 'a7 a8 a9' });
    expect(picked.map(({ job, priority }) => `${job.id}:${priority}`)).toEqual(['b1:1', 'a1:4', 'a2:5']);
  });

  it('counts the synchronous captures of an account, which leave the places to others', () => {
    const interactive = [{ accountId: 'a' }, { accountId: 'a' }];
    expect(pick('a1 a2 b1 b2', { served: 'ab', interactive, places: 3 })).toBe('b1 b2 a1');
    const [first] = choose('a1', { served: 'a', interactive });
    expect(first?.priority).toBe(3);
  });

  it('gives no account more than its free slots', () => {
    const accounts = [
      { accountId: 'a', free: 1 },
      { accountId: 'b', free: 0 },
    ];
    expect(pick('a1 a2 b1', { served: '', accounts })).toBe('a1');
  });

  it('picks only jobs of the given accounts', () => {
    expect(pick('a1 b1', { served: 'a' })).toBe('a1');
  });

  it('skips jobs whose host is busy, whichever account they belong to', () => {
    expect(pick('a1@x a2@x a3@y b1@x b2@y', { served: 'ab' })).toBe('a1 b1 a3 b2');
  });

  it('counts the jobs in flight to a host', () => {
    expect(pick('a1@x a2@y', { served: 'a', inFlight: 'c1@x d1@x' })).toBe('a2');
  });

  it('applies no host limit to jobs without a host', () => {
    expect(pick('a1 a2 a3 a4', { served: 'a' })).toBe('a1 a2 a3 a4');
  });

  it('applies a lower host limit to the jobs of one batch', () => {
    expect(pick('a1/p@x a2/p@y a3@x', { served: 'a', inFlight: 'a9/p@x' })).toBe('a3 a2');
    expect(pick('a1/p@x a2/p@x a3/q@x', { served: 'a' })).toBe('a1 a3');
  });

  it('alternates between the batches of an account, and takes its single jobs first', () => {
    expect(pick('a1/p a2/p a3/p a4/q a5/q a6 a7', { served: 'a' })).toBe('a6 a1 a4 a7 a2 a5 a3');
  });

  it('counts what a batch has in flight, and gives an account no more for having several batches', () => {
    expect(pick('a1/p a2/q b1', { served: 'ab', inFlight: 'a9/p' })).toBe('b1 a2 a1');
  });

  it('serves an account below its share although all places are taken', () => {
    const inFlight = 'a1 a2 a3 a4 a5 a6 a7 a8';
    expect(pick('a9 b1 b2 b3', { served: 'ab', inFlight, places: 0, slots: 4 })).toBe('b1 b2');
    expect(pick('b1 b2 c1 c2', { served: 'bc', inFlight, places: -1, slots: 4 })).toBe('b1 c1');
    expect(pick('b1 b2 c1 c2', { served: 'bc', inFlight, places: 0, slots: 1 })).toBe('b1 c1');
  });

  it('ends when no job is left, and when an account has its share and no place is free', () => {
    expect(pick('a1', { served: 'ab', places: 5 })).toBe('a1');
    expect(pick('a1', { served: 'a', places: 0, inFlight: 'a9' })).toBe('');
  });
});
