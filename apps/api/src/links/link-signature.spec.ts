import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isSignedBy, queryOf, signLink, splitLink } from './link-signature.js';

const SECRET = 'cls_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg';
const KEY = 'Jc3n8mQ2xV7bTz5K';

const isValid = (query: string, secrets = [SECRET]): boolean => isSignedBy(secrets, splitLink(query));

describe('the signature of a link', () => {
  const query = `key=${KEY}&url=https%3A%2F%2Fexample.com%2F&expires=1900000000`;
  const link = signLink(SECRET, query);

  it('is the HMAC-SHA256 of the version, the method, the path and the query', () => {
    const digest = createHmac('sha256', SECRET).update(`v1\nGET\n/v1/render\n${query}`).digest('base64url');
    expect(link).toBe(`${query}&signature=v1.${digest}`);
    expect(splitLink(link)).toEqual({
      signed: query,
      keyId: KEY,
      signature: Buffer.from(digest, 'base64url'),
    });
    expect(isValid(link)).toBe(true);
  });

  it('is refused by another secret, and accepted by either of two', () => {
    expect([isValid(link, ['cls_other']), isValid(link, []), isValid(link, [''])]).toEqual([
      false,
      false,
      false,
    ]);
    expect([isValid(link, ['cls_new', SECRET]), isValid(link, [SECRET, 'cls_old'])]).toEqual([true, true]);
  });

  it('is not that of an empty secret when the key is unknown', () => {
    expect(isValid(signLink('', query), [])).toBe(false);
  });

  it('changes with every byte of 200 links', () => {
    let tried = 0;
    for (let i = 0; i < 200; i++) {
      const own = signLink(
        SECRET,
        `key=${KEY}&url=https%3A%2F%2Fexample.com%2F${i}%3Fq%3D${'ä+%20&'.slice(0, i % 7)}&n=${i ** 5}`,
      );
      expect(isValid(own)).toBe(true);
      for (let at = 0; at < own.length; at++) {
        // Every bit of a byte is flipped once in eight links.
        const changed = String.fromCharCode(own.charCodeAt(at) ^ (1 << ((at + i) % 8)));
        const tampered = own.slice(0, at) + changed + own.slice(at + 1);
        if (isValid(tampered) || isValid(own.slice(0, at) + own.slice(at + 1))) {
          throw new Error(`${tampered} is accepted`);
        }
        tried++;
      }
    }
    expect(tried).toBeGreaterThan(20_000);
  });

  it.each([
    ['has something after it', `${link}&`],
    ['is followed by another field', `${link}&width=1`],
    ['has padding', `${link}=`],
    ['has another version', link.replace('=v1.', '=v2.')],
    ['has no version', link.replace('=v1.', '=')],
    ['is encoded', link.replace('=v1.', '=v1%2E')],
    ['is of another length', link.slice(0, -1)],
    ['is longer', `${link}A`],
    ['is missing', query],
    ['is empty', `${query}&signature=`],
    ['has another name', link.replace('&signature=', '&Signature=')],
    ['stands before a fragment', `${link}#top`],
    ['stands first', `signature=${link.split('signature=')[1] ?? ''}&${query}`],
    ['stands twice', `${link}&signature=v1.${'A'.repeat(43)}`],
  ])('is refused when it %s', (_, text) => {
    expect(isValid(text)).toBe(false);
  });

  it('has one spelling: the two bits of its last character that belong to no byte are zero', () => {
    const last = link.at(-1) ?? '';
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const at = alphabet.indexOf(last);
    expect(at % 4).toBe(0);
    for (const i of [1, 2, 3]) {
      const other = link.slice(0, -1) + alphabet.charAt(at + i);
      // The same bytes, for a decoder that ignores the bits.
      expect(Buffer.from(other.slice(-43), 'base64url')).toEqual(Buffer.from(link.slice(-43), 'base64url'));
      expect(isValid(other)).toBe(false);
    }
  });

  it('has the standard alphabet of base64url', () => {
    let withBoth = '';
    for (let i = 0; !/signature=v1\..*-.*_|signature=v1\..*_.*-/.test(withBoth); i++)
      withBoth = signLink(SECRET, `n=${i}`);
    const [head = '', text = ''] = withBoth.split('signature=v1.');
    expect(isValid(withBoth)).toBe(true);
    expect(isValid(`${head}signature=v1.${text.replaceAll('-', '+').replaceAll('_', '/')}`)).toBe(false);
  });

  it.each([
    ['re-encodes a character', query.replace('%3A', ':')],
    ['writes the digits of an encoding in lower case', query.replace('%3A', '%3a')],
    ['encodes a character that needs no encoding', query.replace('example', '%65xample')],
    ['sorts the fields', query.split('&').sort().join('&')],
    ['adds an empty field', query.replace('&', '&&')],
  ])('is refused when a client %s', (_, changed) => {
    expect(changed).not.toBe(query);
    expect(isValid(`${changed}&signature=${link.split('&signature=')[1] ?? ''}`)).toBe(false);
  });

  it('covers the bytes that were sent, whatever they are', () => {
    const bytes = Buffer.from('url=https://bücher.example/\u{1f4da}').toString('latin1');
    const digest = createHmac('sha256', SECRET)
      .update(`v1\nGET\n/v1/render\nurl=https://bücher.example/\u{1f4da}`)
      .digest('base64url');
    expect(isValid(`${bytes}&signature=v1.${digest}`)).toBe(true);
  });
});

describe('the parts of a link', () => {
  it.each([
    ['key=Jc3n8mQ2xV7bTz5K&a=1', 'Jc3n8mQ2xV7bTz5K'],
    ['a=1&key=Jc3n8mQ2xV7bTz5K', 'Jc3n8mQ2xV7bTz5K'],
    ['a=key=Jc3n8mQ2xV7bTz5K', undefined],
    ['%6bey=Jc3n8mQ2xV7bTz5K', undefined],
    ['key=Jc3n8mQ2xV7bTz5%4b', undefined],
    ['key=Jc3n8mQ2xV7bTz5K1', undefined],
    ['xkey=Jc3n8mQ2xV7bTz5K', undefined],
    ['Key=Jc3n8mQ2xV7bTz5K', undefined],
  ])('have the key only as it is written: %s', (query, keyId) => {
    expect(splitLink(signLink(SECRET, query)).keyId).toBe(keyId);
  });

  it.each([
    ['/v1/render?a=1', 'a=1'],
    ['/v1/render?a=?&b=?', 'a=?&b=?'],
    ['http://host:80/v1/render?a=1', 'a=1'],
    ['/v1/render', ''],
    ['/v1/render?', ''],
  ])('begin after the first question mark of %s', (target, query) => {
    expect(queryOf(target)).toBe(query);
  });
});
