import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Arena, type HostileRow, itSurvives } from '../support/arena.js';

// What a slot says of the browsers that die here is no news.
Logger.overrideLogger(false);

let arena: Arena;
beforeAll(async () => {
  arena = await Arena.open();
});
afterAll(() => arena.close());

const flood = (by: string, row: Omit<HostileRow, 'title' | 'page'>): HostileRow => ({
  title: by,
  page: `floods.html?by=${by}`,
  ...row,
});
/** Nothing listens to it, so that it does not leave the browser, or the browser itself cuts it. It costs time and memory. */
const UNHEARD: Omit<HostileRow, 'title' | 'page'> = {
  ends: ['file', 'resource_limit', 'capture_timeout'],
  options: { delay_ms: 500, timeout_ms: 20_000 },
};
/** The capture ends long before its delay, by whichever limit is reached first on this machine. */
const TOO_MUCH = {
  ends: ['resource_limit'],
  options: { delay_ms: 20_000, timeout_ms: 30_000 },
  detail: /events of more than 67108864 bytes|bytes of memory/,
} as const;

describe('a page that makes its browser say more than the worker can take', () => {
  describe('by what nothing listens to', () => {
    const ways = ['console', 'error', 'worker', 'socket'];
    itSurvives(
      () => arena,
      ways.map((by) => flood(by, UNHEARD)),
    );
  });

  describe('by what is listened to', () => {
    const ways = ['alerts', 'addresses', 'requests', 'frames'];
    itSurvives(
      () => arena,
      ways.map((by) => flood(by, TOO_MUCH)),
    );
  });

  it('by posts, of which the events hold nothing: the network is the limit', async () => {
    const outcome = await arena.visit('floods.html?by=posts', { delay_ms: 20_000, timeout_ms: 30_000 });
    expect(outcome).toMatchObject({
      end: 'resource_limit',
      detail: expect.stringMatching(/bytes with the network|bytes of memory/),
    });
    await arena.expectClean();
  });

  describe('by what the browser cuts', () => {
    itSurvives(
      () => arena,
      ['alert', 'title'].map((by) => flood(by, UNHEARD)),
    );
  });
});
