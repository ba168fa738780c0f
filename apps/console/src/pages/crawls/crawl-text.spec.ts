import { describe, expect, it } from '@jest/globals';
import { waitsUntil } from './crawl-text.js';

describe('waitsUntil', () => {
  const until = '2026-05-04T10:00:30.000Z';
  const before = Date.parse(until) - 1;

  it('is the time that the site has asked for, until it has come', () => {
    const crawl = { status: 'capturing', paused_until: until } as const;
    expect([waitsUntil(crawl, before), waitsUntil(crawl, before + 1)]).toEqual([until, null]);
  });

  it('is null for a crawl that does not wait, or has ended', () => {
    expect(waitsUntil({ status: 'capturing', paused_until: null }, before)).toBeNull();
    expect(waitsUntil({ status: 'canceled', paused_until: until }, before)).toBeNull();
  });
});
