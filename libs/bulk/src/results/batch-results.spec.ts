import { describe, expect, it } from '@jest/globals';
import { decodeRowCursor, encodeRowCursor } from './batch-results.service.js';

describe(decodeRowCursor, () => {
  it.each([1, 10, 10_000])('reads row %i back', (row) => {
    expect(decodeRowCursor(encodeRowCursor(row))).toBe(row);
  });

  it.each(['', '1', 'row.1', `${encodeRowCursor(1)}=`, Buffer.from('row.0').toString('base64url'), '🦊'])(
    'finds no row in %j',
    (text) => {
      expect(decodeRowCursor(text)).toBeUndefined();
    },
  );
});
