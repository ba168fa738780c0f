import { describe, expect, it } from '@jest/globals';
import { etaS } from './eta.js';

describe(etaS, () => {
  it.each([
    {
      what: 'all that is left takes as long as its share of what was done',
      left: 50,
      rows: 100,
      spanS: 20,
      eta: 10,
    },
    { what: 'a part of a second is a second', left: 1, rows: 100, spanS: 20, eta: 1 },
    { what: 'so is a part of one that comes after others', left: 1, rows: 4, spanS: 5, eta: 2 },
    { what: 'rows of one instant leave some time for the others', left: 5, rows: 10, spanS: 0, eta: 1 },
    { what: 'without a row that has ended nobody knows', left: 5, rows: 0, spanS: 3_600, eta: null },
    { what: 'nothing left takes no time, at any pace', left: 0, rows: 0, spanS: 0, eta: 0 },
  ])('$what', ({ left, rows, spanS, eta }) => {
    expect(etaS(left, { rows, spanS })).toBe(eta);
  });
});
