import { describe, expect, it } from '@jest/globals';
import type { FetchOutcome } from '@app/outbound';
import { delayMs, errorTextOf, SCHEDULE_S, verdictOn } from './delivery-verdict.js';

const MIDDLE = 0.5;

const answered = (status: number, headers = {}): FetchOutcome => ({ kind: 'answered', status, headers });

const verdict = (outcome: FetchOutcome, attempt = 1) =>
  verdictOn(
    { channel: 'webhook', outcome, attempt, at: new Date('2026-11-21T05:00:00Z'), durationMs: 7 },
    MIDDLE,
  );

describe(verdictOn.name, () => {
  it.each([200, 201, 202, 204, 299])('counts %d as delivered', (status) => {
    expect(verdict(answered(status))).toEqual({ state: 'delivered' });
    expect(errorTextOf(answered(status), 'webhook')).toBeNull();
  });

  it.each([301, 302, 304, 307, 308, 400, 401, 404, 409, 418, 429, 500, 502, 503, 504])(
    'retries after %d',
    (status) => {
      expect(verdict(answered(status))).toEqual({ state: 'pending', delayMs: 5_000 });
      expect(errorTextOf(answered(status), 'webhook')).not.toBeNull();
    },
  );

  it.each(['forbidden', 'dns', 'connection', 'tls', 'timeout', 'invalid'] as const)(
    'retries without an answer: %s',
    (kind) => {
      expect(verdict({ kind }, 2)).toEqual({ state: 'pending', delayMs: 300_000 });
      expect(errorTextOf({ kind }, 'webhook')).toMatch(/\.$/);
    },
  );

  it('stops at 410, whichever attempt it is', () => {
    expect(verdict(answered(410))).toEqual({ state: 'stopped' });
    expect(verdict(answered(410), 10)).toEqual({ state: 'stopped' });
  });

  it('fails after the tenth attempt', () => {
    expect(verdict(answered(500), 9)).toEqual({ state: 'pending', delayMs: 86_400_000 });
    expect(verdict(answered(500), 10)).toEqual({ state: 'failed' });
    expect(verdict({ kind: 'timeout' }, 10)).toEqual({ state: 'failed' });
    expect(verdict(answered(200), 10)).toEqual({ state: 'delivered' });
  });

  it('honours Retry-After of 429 and 503, and of no other status', () => {
    const after = { 'retry-after': '60' };
    const date = { 'retry-after': 'Sat, 21 Nov 2026 05:02:00 GMT' };
    expect(verdict(answered(429, after))).toEqual({ state: 'pending', delayMs: 60_000 });
    expect(verdict(answered(503, date))).toEqual({ state: 'pending', delayMs: 120_000 });
    expect(verdict(answered(500, after))).toEqual({ state: 'pending', delayMs: 5_000 });
    expect(verdict(answered(429, after), 10)).toEqual({ state: 'failed' });
  });
});

describe(delayMs.name, () => {
  it('schedules ten attempts over a little more than three days', () => {
    expect(SCHEDULE_S).toHaveLength(10);
    const delays = SCHEDULE_S.map((_, attempts) => delayMs(attempts, MIDDLE));
    expect(delays).toEqual(
      [0, 5, 5 * 60, 30 * 60, 2 * 3_600, 5 * 3_600, 10 * 3_600, 14 * 3_600, 20 * 3_600, 24 * 3_600].map(
        (seconds) => seconds * 1_000,
      ),
    );
    expect(delayMs(10, MIDDLE)).toBeNull();
    expect(delayMs(11, MIDDLE)).toBeNull();
  });

  it('varies by a tenth in either direction', () => {
    expect(delayMs(2, 0)).toBe(270_000);
    expect(delayMs(2, 1)).toBe(330_000);
  });

  it('lasts as long as the receiver asks, at most a day, and never less than the schedule says', () => {
    expect(delayMs(1, MIDDLE, 60)).toBe(60_000);
    expect(delayMs(1, 0, 60)).toBe(60_000);
    expect(delayMs(2, MIDDLE, 1)).toBe(300_000);
    expect(delayMs(1, MIDDLE, 1e9)).toBe(86_400_000);
    expect(delayMs(10, MIDDLE, 60)).toBeNull();
  });
});
