import { describe, expect, it } from '@jest/globals';
import { meaningsOf } from './search-meanings.js';

const ID = '01990b4e-7a52-7c3e-9d3b-8f6f4c1f2a10';

const meanings = (text: string) =>
  meaningsOf(text).map((meaning) =>
    meaning.kind === 'capture' ? `open ${meaning.id}` : `${meaning.filter} ${meaning.value}`,
  );

describe('what a searched text means', () => {
  it.each([
    ['example.com', 'host example.com'],
    ['https://Example.com:8443/a?b', 'host example.com:8443'],
    ['example.com/a', 'host example.com'],
    ['localhost:3000', 'host localhost:3000'],
    ['127.0.0.1', 'host 127.0.0.1'],
    ['http://[::1]/', 'host [::1]'],
    ['bücher.example', 'host xn--bcher-kva.example'],
  ])('%s is first of all a host', (text, expected) => {
    expect(meanings(text)[0]).toBe(expected);
    expect(meanings(text).slice(1)).toEqual([`search ${text}`, `reference ${text}`]);
  });

  it.each(['order 17', 'nightly', 'v1.', 'a@b', 'https://'])(
    '%s is a part of a URL or a title, or a reference',
    (text) => {
      expect(meanings(text)).toEqual([`search ${text}`, `reference ${text}`]);
    },
  );

  it('an id is a capture, a batch, a reference or a part of a URL', () => {
    expect(meanings(` ${ID.toUpperCase()} `)).toEqual([
      `open ${ID}`,
      `batch_id ${ID}`,
      `reference ${ID.toUpperCase()}`,
      `search ${ID.toUpperCase()}`,
    ]);
  });

  it('nothing means nothing', () => {
    expect(meanings('  ')).toEqual([]);
  });
});
