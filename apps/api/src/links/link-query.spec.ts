import { describe, expect, it } from '@jest/globals';
import { linkQuery } from '@capture-service/client';
import { LINK_FIELDS } from './link-options.js';
import { readQuery } from './link-query.js';

const read = (query: string) => readQuery(query, LINK_FIELDS);
const latin1 = (text: string): string => Buffer.from(text).toString('latin1');

/** The values that the platform's own parser reads, which is lenient where ours reports a fault. */
const standard = (query: string): Record<string, string> => Object.fromEntries(new URLSearchParams(query));

describe('the query of a link', () => {
  it('has values of the kinds that the options have', () => {
    expect(read('url=https://a.example/&full_page=true&quality=80&clip_x=-1.5&format=jpeg')).toEqual({
      values: { url: 'https://a.example/', full_page: true, quality: 80, clip_x: -1.5, format: 'jpeg' },
      faults: [],
    });
  });

  it.each([
    ['filename=a+b', 'a b'],
    ['filename=a%20b', 'a b'],
    ['filename=a%2Bb', 'a+b'],
    ['filename=a%2bb', 'a+b'],
    ['filename=%C3%BC%F0%9F%93%9A', 'ü📚'],
    [latin1('filename=ü📚'), 'ü📚'],
    ['filename=%EF%BB%BFx', '\ufeffx'],
    ['filename=a=b==', 'a=b=='],
    ['filename=a;b', 'a;b'],
    ['filename=%26%3D%23%3F%25', '&=#?%'],
    ['filename=%00', '\0'],
    ['filename=%25%34%31', '%41'],
    ['file%6eame=x', 'x'],
    ['filename=', ''],
    ['filename', ''],
  ])('reads %s', (query, filename) => {
    expect(read(query)).toEqual({ values: { filename }, faults: [] });
    if (/^[\x20-\x7e]*$/.test(query)) expect(standard(query)).toEqual({ filename });
  });

  it.each([
    ['filename=%', '/filename', 'has a % that two hexadecimal digits do not follow; encode it as %25'],
    ['filename=100%25%', '/filename', 'has a % that two hexadecimal digits do not follow; encode it as %25'],
    ['filename=%4', '/filename', 'has a % that two hexadecimal digits do not follow; encode it as %25'],
    ['filename=%zz', '/filename', 'has a % that two hexadecimal digits do not follow; encode it as %25'],
    ['filename=%FF', '/filename', 'is not valid UTF-8'],
    ['filename=%C3', '/filename', 'is not valid UTF-8'],
    ['filename=%C0%80', '/filename', 'is not valid UTF-8'],
    ['filename=%ED%A0%80', '/filename', 'is not valid UTF-8'],
    ['filename=\xff', '/filename', 'is not valid UTF-8'],
    ['%zz=1', '/%zz', 'has a % that two hexadecimal digits do not follow; encode it as %25'],
    ['%FF=1', '/%FF', 'is not valid UTF-8'],
  ])('refuses %j', (query, pointer, detail) => {
    expect(read(query)).toEqual({ values: {}, faults: [{ pointer, code: 'invalid_characters', detail }] });
  });

  it('refuses a name that stands twice, in whichever spelling', () => {
    for (const query of ['format=png&format=png', 'format=png&url=x&f%6Frmat=webp', 'new=1&new=2']) {
      const { faults } = read(query);
      expect(faults).toMatchObject([
        { code: 'repeated', pointer: query.startsWith('new') ? '/new' : '/format' },
      ]);
    }
  });

  it('has a list as a repeated name', () => {
    expect(read('hide_selectors=.a&hide_selectors=.b%2C+.c&fail_on_status=404').values).toEqual({
      hide_selectors: ['.a', '.b, .c'],
      fail_on_status: ['404'],
    });
    expect(read('hide_selectors=').values).toEqual({ hide_selectors: [] });
    expect(read('hide_selectors=&hide_selectors=.a').values).toEqual({ hide_selectors: ['', '.a'] });
    // JSON is not read: a selector may look like it.
    expect(read('hide_selectors=["a"]').values).toEqual({ hide_selectors: ['["a"]'] });
  });

  it('ignores empty fields, as the standard does', () => {
    expect(read('&&format=png&').values).toEqual({ format: 'png' });
  });

  it('keeps names that could change a prototype as names', () => {
    const { values } = read('__proto__=1&constructor=2');
    expect(Object.entries(values)).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ]);
    expect(Object.getPrototypeOf(values)).toBe(Object.prototype);
  });

  it('cuts a long name that it reports', () => {
    expect(read(`${'x'.repeat(5_000)}=%`).faults[0]?.pointer).toHaveLength(101);
  });

  it.each([
    ['hostile text', { filename: `"><script>alert('1')</script>&a=b#c?d%41+ \\` }],
    ['Unicode', { filename: 'ü 漢字 \u{1f4da} \u202e \ufeff \u0301 \0' }],
    ['what stands in HTML, CSS and Markdown', { filename: `(a) 'b' "c" *d* !e ~f` }],
    ['lists', { hide_selectors: ['a b', '[href="&=+"]', "a:not('x')"], block_urls: ['*://x/*'] }],
    ['an empty list and an empty text', { hide_selectors: [], filename: '' }],
    ['flags', { full_page: true, javascript: false }],
    ['numbers', { viewport_width: 1280, latitude: -0.1, longitude: 1e-7, accuracy: 12.5e-9, clip_x: 5e-324 }],
  ])('is written so that it is read again: %s', (_, values) => {
    const query = linkQuery(values);
    expect(query).toMatch(/^[\w.~%&=-]*$/);
    expect(read(query)).toEqual({ values, faults: [] });
  });
});
