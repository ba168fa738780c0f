import { describe, expect, it } from '@jest/globals';
import { decodeCursor, encodeCursor } from './cursor.js';
import { newId } from './ids.js';

describe('cursor', () => {
  it('reads back what it wrote', () => {
    const cursor = { createdAtMs: 1_795_000_000_123, id: newId() };
    expect(decodeCursor(encodeCursor(cursor))).toEqual(cursor);
  });

  it.each([
    '',
    'x',
    '%00',
    'AAAA',
    Buffer.from('1.2').toString('base64url'),
    Buffer.from(`-1.${newId()}`).toString('base64url'),
    Buffer.from(`1795000000000.${newId().toUpperCase()}`).toString('base64url'),
    `${encodeCursor({ createdAtMs: 1, id: newId() })}=`,
    `${encodeCursor({ createdAtMs: 1, id: newId() })}AAAA`,
    'A'.repeat(10_000),
  ])('refuses %j', (text) => {
    expect(decodeCursor(text)).toBeUndefined();
  });
});
