import { describe, expect, it } from '@jest/globals';
import { age, bytes, count, duration, share, shortUrl } from './format.js';

describe('texts of numbers and times', () => {
  it('group thousands', () => {
    expect(count(1_234_567)).toBe('1,234,567');
  });

  it.each([
    [0, 0, '0 %'],
    [1, 300, '0.3 %'],
    [1, 8, '13 %'],
    [8, 8, '100 %'],
  ])('show %d of %d as %s', (part, whole, text) => {
    expect(share(part, whole)).toBe(text);
  });

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1.0 kB'],
    [1_440_000, '1.4 MB'],
    [250_000_000, '250 MB'],
  ])('show %d bytes as %s', (value, text) => {
    expect(bytes(value)).toBe(text);
  });

  it.each([
    [340, '340 ms'],
    [2_400, '2.4 s'],
    [59_960, '1 min 0 s'],
    [192_000, '3 min 12 s'],
    [7_500_000, '2 h 5 min'],
  ])('show %d ms as %s', (value, text) => {
    expect(duration(value)).toBe(text);
  });

  it('show an age in its largest unit', () => {
    const now = Date.parse('2026-11-22T12:00:00Z');
    expect(age('2026-11-22T11:57:00Z', now)).toBe('3 min. ago');
    expect(age('2026-11-24T12:00:01Z', now)).toBe('in 2 days');
    expect(age('2026-11-22T12:00:00Z', now)).toBe('now');
  });

  it('leave out what each URL has', () => {
    expect(shortUrl('https://example.com/')).toBe('example.com');
    expect(shortUrl('http://example.com/a?b')).toBe('example.com/a?b');
  });
});
