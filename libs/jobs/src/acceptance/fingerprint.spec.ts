import { describe, expect, it } from '@jest/globals';
import { fingerprintOf, RunningFingerprint } from './fingerprint.js';

const of = (body: unknown, route = 'POST /v1/jobs'): string => fingerprintOf(route, body).toString('hex');

describe('the fingerprint of a request', () => {
  it('is SHA-256', () => {
    expect(of({})).toHaveLength(64);
  });

  it('does not depend on the order of names, at any depth', () => {
    expect(of({ a: 1, b: { c: [{ d: 1, e: 2 }] } })).toBe(of({ b: { c: [{ e: 2, d: 1 }] }, a: 1 }));
  });

  it('takes a name without a value for one that is not there', () => {
    expect(of({ a: 1, b: undefined })).toBe(of({ a: 1 }));
  });

  it.each([
    ['a value', { a: 2 }],
    ['a type', { a: '1' }],
    ['a name', { b: 1 }],
    ['one more name', { a: 1, b: null }],
    ['a list', { a: [1] }],
  ])('differs by %s', (_, body) => {
    expect(of(body)).not.toBe(of({ a: 1 }));
  });

  it('differs by the order of a list', () => {
    expect(of({ a: [1, 2] })).not.toBe(of({ a: [2, 1] }));
  });

  it('differs by the route', () => {
    expect(of({})).not.toBe(of({}, 'POST /v1/capture'));
  });

  it('cannot be made the same by names that look like JSON', () => {
    expect(of({ 'a":1,"b': 2 })).not.toBe(of({ a: 1, b: 2 }));
  });
});

describe('RunningFingerprint', () => {
  const of = (begin: unknown, ...pieces: unknown[]): string => {
    const fingerprint = new RunningFingerprint('POST /v1/x', begin);
    for (const piece of pieces) fingerprint.add(piece);
    return fingerprint.digest().toString('hex');
  };

  it('is the same however the pieces are written down', () => {
    expect(of({ a: 1, b: 2 }, { c: 3, d: 4 })).toBe(of({ b: 2, a: 1 }, { d: 4, c: 3, e: undefined }));
  });

  it('is another when a piece, their order or their number is', () => {
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
