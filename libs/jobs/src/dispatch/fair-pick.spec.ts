import { describe, expect, it } from '@jest/globals';
import { pickFairly, type Room, type Waiting } from './fair-pick.js';

/** `a1` is the first waiting job of account `a`; with a host, `a1@x`. */
const jobsOf = (text: string): Waiting[] =>
  text.split(' ').map((id) => ({ id, accountId: id.slice(0, 1), host: id.split('@')[1] ?? null }));

const pick = (waiting: string, room: Partial<Room> & { turns: string }): string => {
  const accounts = [...room.turns].map((accountId) => ({ accountId, free: 100 }));
  const jobs = pickFairly(jobsOf(waiting), { places: 100, perHost: 2, inFlight: [], accounts, ...room });
  return jobs.map(({ id }) => id).join(' ');
};

describe(pickFairly, () => {
  it('lets accounts take turns, each in the order in which its jobs came', () => {
    expect(pick('a1 a2 a3 b1 b2', { turns: 'ab' })).toBe('a1 b1 a2 b2 a3');
  });

  it('begins with the account that was served longest ago', () => {
    expect(pick('a1 a2 b1 b2', { turns: 'ba', places: 3 })).toBe('b1 a1 b2');
  });

  it('counts what an account has in flight', () => {
    const inFlight = [{ accountId: 'a', host: null, jobs: 2 }];
    expect(pick('a1 a2 b1 b2 b3', { turns: 'ab', inFlight })).toBe('b1 b2 a1 b3 a2');
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
    expect(pick('a1@x a2@x a3@y b1@x b2@y', { turns: 'ab' })).toBe('a1@x b1@x a3@y b2@y');
  });

  it('counts what is in flight to a host', () => {
    const inFlight = [
      { accountId: 'c', host: 'x', jobs: 1 },
      { accountId: 'd', host: 'x', jobs: 1 },
    ];
    expect(pick('a1@x a2@y', { turns: 'a', inFlight })).toBe('a2@y');
  });

  it('does not spare what has no host', () => {
    expect(pick('a1 a2 a3 a4', { turns: 'a' })).toBe('a1 a2 a3 a4');
  });

  it('ends when nothing is left, and gives nothing away without a place', () => {
    expect(pick('a1', { turns: 'ab', places: 5 })).toBe('a1');
    expect(pick('a1', { turns: 'a', places: 0 })).toBe('');
  });
});
