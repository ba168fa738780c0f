import { describe, expect, it } from '@jest/globals';
import { fingerprintOf, RunningFingerprint } from './fingerprint.js';

const hexOf = (body: unknown, route = 'POST /v1/jobs'): string => fingerprintOf(route, body).toString('hex');

describe('the fingerprint of a request', () => {
  it('is SHA-256', () => {
    expect(hexOf({})).toHaveLength(64);
  });

  it('does not depend on the order of names, at any depth', () => {
    expect(hexOf({ a: 1, b: { c: [{ d: 1, e: 2 }] } })).toBe(hexOf({ b: { c: [{ e: 2, d: 1 }] }, a: 1 }));
  });

  it('treats a name without a value as absent', () => {
    expect(hexOf({ a: 1, b: undefined })).toBe(hexOf({ a: 1 }));
  });

  it.each([
    ['a value', { a: 2 }],
    ['a type', { a: '1' }],
    ['a name', { b: 1 }],
    ['one more name', { a: 1, b: null }],
    ['a list', { a: [1] }],
  ])('differs when %s differs', (_, body) => {
    expect(hexOf(body)).not.toBe(hexOf({ a: 1 }));
  });

  it('differs when the order of a list does', () => {
    expect(hexOf({ a: [1, 2] })).not.toBe(hexOf({ a: [2, 1] }));
  });

  it('differs when the route does', () => {
    expect(hexOf({})).not.toBe(hexOf({}, 'POST /v1/capture'));
  });

  it('cannot be forged by names that look like JSON', () => {
    expect(hexOf({ 'a":1,"b': 2 })).not.toBe(hexOf({ a: 1, b: 2 }));
  });
});

describe('RunningFingerprint', () => {
  const of = (start: unknown, ...pieces: unknown[]): string => {
    const fingerprint = new RunningFingerprint('POST /v1/x', start);
    for (const piece of pieces) fingerprint.add(piece);
    return fingerprint.digest().toString('hex');
  };

  it('does not depend on the order of names in the pieces', () => {
    expect(of({ a: 1, b: 2 }, { c: 3, d: 4 })).toBe(of({ b: 2, a: 1 }, { d: 4, c: 3, e: undefined }));
  });

  it('differs when a piece, their order or their number does', () => {
    const all = [
      of({}),
      of({}, 1),
      of({}, 1, 2),
      of({}, 2, 1),
      of({}, 12),
      of({}, [1, 2]),
      of({ a: 1 }),
      of({}, '1'),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});
