import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Arena, type HostileRow, itSurvives } from '../support/arena.js';

// The pool logs every browser that dies here.
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
/** Events that the browser does not send, because nothing subscribes to them, or truncates. They cost time and memory. */
const UNSENT: Omit<HostileRow, 'title' | 'page'> = {
  ends: ['file', 'resource_limit', 'capture_timeout'],
  options: { delay_ms: 500, timeout_ms: 20_000 },
};
/** The capture ends long before its delay, at the limit that this machine reaches first. */
const TOO_MUCH = {
  ends: ['resource_limit'],
  options: { delay_ms: 20_000, timeout_ms: 30_000 },
  detail: /events of more than 67108864 bytes|bytes of memory/,
} as const;

// It is slow because browsers send events until a limit ends each of these pages: half a minute of CPU time.
describe('a page that floods the worker with events of its browser', () => {
  describe('with events that nothing subscribes to', () => {
    const ways = ['console', 'error', 'worker', 'socket'];
    itSurvives(
      () => arena,
      ways.map((by) => flood(by, UNSENT)),
    );
  });

  describe('with events that the worker subscribes to', () => {
    const ways = ['alerts', 'addresses', 'requests', 'frames'];
    itSurvives(
      () => arena,
      ways.map((by) => flood(by, TOO_MUCH)),
    );
  });

  it('with posted bodies, which are not in the events: the network is the limit', async () => {
    const outcome = await arena.visit('floods.html?by=posts', { delay_ms: 20_000, timeout_ms: 30_000 });
    expect(outcome).toMatchObject({
      end: 'resource_limit',
      detail: expect.stringMatching(/bytes with the network|bytes of memory/),
    });
    await arena.expectClean();
  });

  describe('with texts that the browser truncates', () => {
    itSurvives(
      () => arena,
      ['alert', 'title'].map((by) => flood(by, UNSENT)),
    );
  });
});
