import { describe, expect, it } from '@jest/globals';
import { generateKey, hashSecret, parseKey } from './key-format.js';

describe('the format of a key', () => {
  it('parses the parts of a generated key', () => {
    const { key, id, secret } = generateKey();
    expect(key).toMatch(/^cap_[0-9A-Za-z]{16}_[0-9A-Za-z]{38}$/);
    expect(parseKey(key)).toEqual({ id, secret });
  });

  it('generates a different key each time', () => {
    const keys = Array.from({ length: 100 }, () => generateKey().key);
    expect(new Set(keys).size).toBe(100);
  });

  it('refuses a key with any one character changed', () => {
    const { key } = generateKey();
    for (let at = 0; at < key.length; at++) {
      const other = key[at] === 'x' ? 'y' : 'x';
      expect(parseKey(key.slice(0, at) + other + key.slice(at + 1))).toBeUndefined();
    }
  });

  it.each([
    ['nothing', ''],
    ['another prefix', generateKey().key.replace('cap_', 'sk__')],
    ['a trailing newline', `${generateKey().key}\n`],
    ['white space around it', ` ${generateKey().key} `],
    ['10 kB', 'cap_'.padEnd(10_240, 'A')],
    ['letters beyond ASCII', generateKey().key.replace(/.$/, 'é')],
    ['its secret alone', generateKey().secret],
  ])('refuses %s', (_, text) => {
    expect(parseKey(text)).toBeUndefined();
  });

  it('is hashed to 32 bytes', () => {
    expect(hashSecret('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});
