import { describe, expect, it } from '@jest/globals';
import { etaAt } from './batch-eta.service.js';

describe(etaAt, () => {
  it.each([
    {
      what: 'the rows that are left take as long as their share of the rows that ended',
      left: 50,
      rows: 100,
      spanS: 20,
      eta: 10,
    },
    { what: 'a fraction of a second counts as a second', left: 1, rows: 100, spanS: 20, eta: 1 },
    { what: 'seconds are rounded up', left: 1, rows: 4, spanS: 5, eta: 2 },
    {
      what: 'rows that ended at one instant leave a second for the others',
      left: 5,
      rows: 10,
      spanS: 0,
      eta: 1,
    },
    { what: 'it is unknown before a row has ended', left: 5, rows: 0, spanS: 3_600, eta: null },
    { what: 'no rows take no time, at any pace', left: 0, rows: 0, spanS: 0, eta: 0 },
  ])('$what', ({ left, rows, spanS, eta }) => {
    expect(etaAt({ rows, spanS }, left)).toBe(eta);
  });
});
