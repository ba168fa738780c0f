import { describe, expect, it } from '@jest/globals';
import type { FetchOutcome } from '@app/outbound';
import { faultOf, judge } from './verdict.js';

const answered = (status: number, headers = {}): FetchOutcome => ({ kind: 'answered', status, headers });

const verdictOn = (outcome: FetchOutcome, tried = 1) =>
  judge({ outcome, tried, at: new Date('2026-11-21T05:00:00Z'), durationMs: 7 }, 0.5);

describe(judge.name, () => {
  it.each([200, 201, 202, 204, 299])('takes %d for delivered', (status) => {
    expect(verdictOn(answered(status))).toEqual({ state: 'delivered' });
    expect(faultOf(answered(status))).toBeNull();
  });

  it.each([301, 302, 304, 307, 308, 400, 401, 404, 409, 418, 429, 500, 502, 503, 504])(
    'tries again after %d',
    (status) => {
      expect(verdictOn(answered(status))).toEqual({ state: 'pending', delayMs: 5_000 });
      expect(faultOf(answered(status))).not.toBeNull();
    },
  );

  it.each(['forbidden', 'dns', 'connection', 'tls', 'timeout', 'invalid'] as const)(
    'tries again when there was no answer: %s',
    (kind) => {
      expect(verdictOn({ kind }, 2)).toEqual({ state: 'pending', delayMs: 300_000 });
      expect(faultOf({ kind })).toMatch(/\.$/);
    },
  );

  it('stops at 410, whichever try it is', () => {
    expect(verdictOn(answered(410))).toEqual({ state: 'stopped' });
    expect(verdictOn(answered(410), 10)).toEqual({ state: 'stopped' });
  });

  it('has failed after the tenth try', () => {
    expect(verdictOn(answered(500), 9)).toEqual({ state: 'pending', delayMs: 86_400_000 });
    expect(verdictOn(answered(500), 10)).toEqual({ state: 'failed' });
    expect(verdictOn({ kind: 'timeout' }, 10)).toEqual({ state: 'failed' });
    expect(verdictOn(answered(200), 10)).toEqual({ state: 'delivered' });
  });

  it('honours Retry-After of 429 and 503, and of nothing else', () => {
    const after = { 'retry-after': '60' };
    const date = { 'retry-after': 'Sat, 21 Nov 2026 05:02:00 GMT' };
    expect(verdictOn(answered(429, after))).toEqual({ state: 'pending', delayMs: 60_000 });
    expect(verdictOn(answered(503, date))).toEqual({ state: 'pending', delayMs: 120_000 });
    expect(verdictOn(answered(500, after))).toEqual({ state: 'pending', delayMs: 5_000 });
    expect(verdictOn(answered(429, after), 10)).toEqual({ state: 'failed' });
  });
});
