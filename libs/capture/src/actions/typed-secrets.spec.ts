import { describe, expect, it } from '@jest/globals';
import { TypedSecrets } from './typed-secrets.js';

function hidden(value: unknown, ...secrets: string[]): unknown {
  const typed = new TypedSecrets();
  for (const secret of secrets) typed.add(secret);
  return typed.hideIn(value);
}

describe(TypedSecrets.name, () => {
  it.each([
    ['as it is', 'a "b" & <c>/é'],
    ['in the path of an address', encodeURI('a "b" & <c>/é')],
    ['in the query of an address', encodeURIComponent('a "b" & <c>/é')],
    ['in the query of a form', new URLSearchParams({ q: 'a "b" & <c>/é' }).toString().slice(2)],
    ['in JSON', JSON.stringify('a "b" & <c>/é').slice(1, -1)],
    ['in a text of HTML', 'a "b" &amp; &lt;c&gt;/é'],
    ['in an attribute of HTML', 'a &quot;b&quot; &amp; &lt;c&gt;/é'],
  ])('hides a secret %s', (_, written) => {
    expect(hidden(`before ${written} after`, 'a "b" & <c>/é')).toBe('before [redacted] after');
  });

  it('leaves no part of a secret that begins with another one', () => {
    expect(hidden('password1, pass, password1', 'pass', 'password1')).toBe(
      '[redacted], [redacted], [redacted]',
    );
  });

  it('hides secrets in lists and objects, and leaves other values alone', () => {
    const at = new Date(0);
    expect(hidden({ list: ['x', { deep: 'a secret' }], number: 1, none: null, at }, 'secret')).toEqual({
      list: ['x', { deep: 'a [redacted]' }],
      number: 1,
      none: null,
      at,
    });
  });

  it('hides nothing before a secret was typed', () => {
    expect(hidden('a text')).toBe('a text');
  });
});
