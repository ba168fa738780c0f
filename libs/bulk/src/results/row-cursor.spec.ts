import { describe, expect, it } from '@jest/globals';
import { decodeRowCursor, encodeRowCursor } from './row-cursor.js';

describe(decodeRowCursor, () => {
  it.each([1, 10, 10_000])('reads back row %i', (row) => {
    expect(decodeRowCursor(encodeRowCursor(row))).toBe(row);
  });

  it.each(['', '1', 'row.1', `${encodeRowCursor(1)}=`, Buffer.from('row.0').toString('base64url'), '🦊'])(
    'knows none in %j',
    (text) => {
      expect(decodeRowCursor(text)).toBeUndefined();
    },
  );
});
