import { describe, expect, it } from '@jest/globals';
import { publishedAt } from './published-at.js';

describe(publishedAt, () => {
  it.each([
    ['2024-05-01T12:30:00+02:00', '2024-05-01T10:30:00.000Z'],
    ['2024-05-01T12:30:00.123456Z', '2024-05-01T12:30:00.123Z'],
    ['2024-05-01T12:30:00,5Z', '2024-05-01T12:30:00.500Z'],
    ['2024-05-01T12:30Z', '2024-05-01T12:30:00.000Z'],
    [' 2024-05-01 12:30:00 -0530 ', '2024-05-01T18:00:00.000Z'],
    ['2024-05-01 12:30 UTC', '2024-05-01T12:30:00.000Z'],
    ['2024-05-01T12:30:00+02', '2024-05-01T10:30:00.000Z'],
    ['Wed, 01 May 2024 12:30:00 +0200', '2024-05-01T10:30:00.000Z'],
    ['1 May 2024 12:30 GMT', '2024-05-01T12:30:00.000Z'],
    ['2024-05-01', '2024-05-01'],
    // The zone is not known, so that the moment is not, either.
    ['2024-05-01T12:30:00', '2024-05-01'],
    ['2024-05-01T25:30:00Z', '2024-05-01'],
  ])('of %j is %j', (stated, published) => {
    expect(publishedAt(stated)).toBe(published);
  });

  it.each([
    '',
    'yesterday',
    '05/06/2024',
    '2024-02-31',
    '2024-13-01',
    'May 1, 2024',
    '1714559400',
    'Wed, 99 May 2024 12:30:00 GMT',
  ])('of %j is not known', (stated) => {
    expect(publishedAt(stated)).toBeUndefined();
  });
});
