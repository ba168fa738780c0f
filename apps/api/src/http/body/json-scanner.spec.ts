import { describe, expect, it } from '@jest/globals';
import { AppError } from '@app/kernel';
import { JsonScanner } from './json-scanner.js';

const MB = 1_048_576;
const CAPTURE = { bytes: 8 * MB, smallBytes: 2 * MB };
const tooMany = (): AppError => new AppError('payload_too_large', { detail: 'too many rows' });
const BATCH = { ...CAPTURE, list: { name: 'items', maxItems: 3, tooMany } };

/** Scans the text in chunks of this size. */
function scan(text: string | Buffer, { limits = CAPTURE, chunk = Infinity } = {}): JsonScanner {
  const bytes = Buffer.from(text as string);
  const scanner = new JsonScanner(limits);
  for (let end = 0; end < bytes.length;) {
    end = Math.min(bytes.length, end + chunk);
    scanner.scan(bytes.subarray(0, end));
  }
  scanner.finish();
  return scanner;
}

function refusalOf(text: string | Buffer, options: Parameters<typeof scan>[1] = {}): AppError {
  try {
    scan(text, options);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('The text is accepted');
}

const VALID = [
  '{}',
  ' [ ] ',
  '\ufeff{"a":1}',
  '{"a":[{"b":null},[],"",-0.5e+10,0,1E5,true,false],"\\u0041\\"\\\\\\/\\b\\f\\n\\r\\t":"\\ud83d\\ude00 ä€😀"}',
  '"text"',
  '12',
  '\t\r\n{"a" : {"a" : {} , "a" : [ [ ] , [ ] ] } }\n',
];

const INVALID: readonly (readonly [text: string, words: string])[] = [
  ['', 'value expected in line 1, column 1'],
  [' \n', 'value expected in line 2, column 1'],
  ['{', 'close brace expected in line 1, column 2'],
  ['[', 'close bracket expected in line 1, column 2'],
  ['[1', 'close bracket expected in line 1, column 3'],
  ['[1,]', 'value expected in line 1, column 4'],
  ['[1 2]', 'comma expected in line 1, column 4'],
  ['[1}', 'comma expected in line 1, column 3'],
  ['{"a":1]', 'comma expected in line 1, column 7'],
  ['{"a":1,}', 'property name expected in line 1, column 8'],
  ['{,}', 'property name expected in line 1, column 2'],
  ["{'a':1}", 'property name expected in line 1, column 2'],
  ['{"a"}', 'colon expected in line 1, column 5'],
  ['{"a":}', 'value expected in line 1, column 6'],
  ['{"ä€😀":\n "ä€😀" x}', 'comma expected in line 2, column 9'],
  ['{} {}', 'end of file expected in line 1, column 4'],
  ['"', 'unexpected end of string in line 1, column 2'],
  ['"\\', 'unexpected end of string in line 1, column 3'],
  ['"\\x"', 'invalid escape character in line 1, column 2'],
  ['"\\ud8"', 'invalid unicode in line 1, column 2'],
  ['"a\nb"', 'invalid character in line 1, column 3'],
  ['"a\0b"', 'invalid character in line 1, column 3'],
  ...['01', '+1', '.5', '1.', '1e', '-', 'NaN', 'nul', 'truer', '0x1', 'Infinity', '/**/1'].map(
    (word) => [word, 'invalid symbol in line 1, column 1'] as const,
  ),
];

describe(JsonScanner.name, () => {
  it.each(VALID)('accepts %j, whatever chunks it arrives in', (text) => {
    for (const chunk of [1, 2, 3, 7, Infinity]) expect(() => scan(text, { chunk })).not.toThrow();
    expect(() => JSON.parse(text.replace('\ufeff', '')) as unknown).not.toThrow();
  });

  it.each(INVALID)('says what is wrong with %j: %s', (text, words) => {
    for (const chunk of [1, 2, 3, 7, Infinity]) {
      const { code, facts } = refusalOf(text, { chunk });
      expect([code, facts.detail]).toEqual(['invalid_request', `The body is not valid JSON: ${words}.`]);
    }
    expect(() => JSON.parse(text) as unknown).toThrow();
  });

  it('decides as JSON.parse does about every byte at every place', () => {
    const seeds = VALID.slice(0, 4).map((text) => text.replace('\ufeff', ''));
    for (const seed of seeds) {
      const bytes = Buffer.from(seed);
      for (let at = 0; at < bytes.length; at++) {
        for (const byte of Buffer.from('{}[]:,"\\ \n0-e.tu/a\u0001')) {
          const changed = Buffer.from(bytes);
          changed[at] = byte;
          const parses = passes(() => JSON.parse(changed.toString()));
          expect([changed.toString(), passes(() => scan(changed))]).toEqual([changed.toString(), parses]);
        }
      }
    }
  });

  it('names bytes that are not UTF-8 where no text is', () => {
    expect(refusalOf(Buffer.from([0x7b, 0xff, 0x7d])).facts.detail).toBe('The body is not valid UTF-8.');
    expect(refusalOf('{ä}').facts.detail).toContain('property name expected');
  });

  const fill = (start: string, piece: string, count: number, end: string): string =>
    start + Array.from({ length: count }, () => piece).join(',') + end;
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  const values = (count: number): string => fill('[', fill('[', '1', 99, ']'), count / 100, ']');

  it.each<[string, string, string, string, string]>([
    ['levels', nested(32), nested(33), 'too_deep', '/0/0/0/0'],
    [
      'names of an object',
      fill('{"headers":{', '"a":1', 200, '}}'),
      fill('{"headers":{', '"a":1', 201, '}}'),
      'too_many',
      '/headers',
    ],
    ['items of a list', fill('{"a":[', '1', 200, ']}'), fill('{"a":[', '1', 201, ']}'), 'too_many', '/a'],
    ['fields', fill('{', '"a":1', 200, '}'), fill('{', '"a":1', 201, '}'), 'too_many', ''],
    ['values in all', values(5_000), values(5_100), 'too_many', ''],
    [
      'characters of a text',
      `{"js":"${'ä'.repeat(131_072)}"}`,
      `{"js":"${'ä'.repeat(131_073)}"}`,
      'wrong_length',
      '/js',
    ],
    [
      'characters of html',
      `{"html":"${'\\u0001'.repeat(MB)}"}`,
      `{"html":"${'\\u0001'.repeat(MB + 1)}"}`,
      'wrong_length',
      '/html',
    ],
    [
      'characters of a name',
      `{"a":{"${'b'.repeat(16_384)}":1}}`,
      `{"a":{"${'b'.repeat(16_385)}":1}}`,
      'wrong_length',
      '/a',
    ],
    [
      'digits of a number',
      `{"a/b~":${'9'.repeat(1_000)}}`,
      `{"a/b~":${'9'.repeat(1_001)}}`,
      'out_of_range',
      '/a~1b~0',
    ],
  ])('limits the %s', (_, most, more, code, pointer) => {
    for (const chunk of [1_000, Infinity]) {
      expect(() => scan(most, { chunk })).not.toThrow();
      expect(refusalOf(more, { chunk }).facts.errors).toEqual([
        { pointer, code, detail: expect.any(String) },
      ]);
    }
  });

  it('refuses at the first excess, whatever follows', () => {
    const scanner = new JsonScanner(CAPTURE);
    const start = Buffer.from(fill('{"headers":{', '"a":1', 250, ''));
    expect(() => {
      scanner.scan(start);
    }).toThrow('headers must have at most 200 entries');
  });

  it('limits what is neither html nor a row', () => {
    const spaces = ' '.repeat(2 * MB);
    const html = `{"html":"${'x'.repeat(MB)}"}`;
    expect(() => scan(`${spaces.slice(html.length - MB)}${html}`, { chunk: 65_536 })).not.toThrow();
    for (const text of [`${spaces}{}`, `{"url":"x"${spaces}}`, `{"html":"x"${spaces}}`]) {
      const { code, facts } = refusalOf(text);
      expect([code, facts.detail]).toEqual([
        'payload_too_large',
        'A JSON body may have at most 2097152 bytes (2 MB) besides html.',
      ]);
    }
    const row = `{"html":"${'x'.repeat(MB)}","css":"${'x'.repeat(100_000)}"}`;
    expect(() => scan(fill('{"items":[', row, 3, ']}'), { limits: BATCH, chunk: 65_536 })).not.toThrow();
    // What stands in a row does not make room beside the rows.
    for (const rows of ['[]', `[${row}]`]) {
      const { facts } = refusalOf(`{"items":${rows}${spaces}}`, { limits: BATCH });
      expect(facts.detail).toMatch(/html and items\.$/);
    }
  });

  describe('with a list', () => {
    it('says where its items are', () => {
      const text = '\ufeff{"items" : [ {"a":[1]} ,2,"x" ] ,"a":{"items":[[]]}}';
      for (const chunk of [1, Infinity]) {
        const { list, itemOffsets } = scan(text, { limits: BATCH, chunk }).extent;
        const bytes = Buffer.from(text);
        const of = (start = 0, end = 0): string => bytes.toString('utf8', start, end);
        expect(of(list?.start, list?.end)).toBe('[ {"a":[1]} ,2,"x" ]');
        expect([0, 2, 4].map((i) => of(itemOffsets[i], itemOffsets[i + 1]))).toEqual([
          '{"a":[1]}',
          '2',
          '"x"',
        ]);
        expect(itemOffsets).toHaveLength(6);
      }
      expect(scan('{"\\u0069tems":[]}', { limits: BATCH }).extent.list).toBeDefined();
      expect(scan('{"items":{"items":[]}}', { limits: BATCH }).extent.list).toBeUndefined();
    });

    it('limits the items and what each of them has', () => {
      expect(refusalOf('{"items":[1,2,3,4', { limits: BATCH }).facts.detail).toBe('too many rows');
      expect(refusalOf('{"items":[],"items":[', { limits: BATCH }).facts.errors).toEqual([
        { pointer: '/items', code: 'repeated', detail: expect.any(String) },
      ]);
      const item = fill('{"a":[', '1', 201, ']}');
      expect(refusalOf(`{"items":[{},${item}]}`, { limits: BATCH }).facts.errors).toEqual([
        { pointer: '/items/1/a', code: 'too_many', detail: expect.any(String) },
      ]);
      expect(refusalOf(`{"items":[{},${values(5_100)}]}`, { limits: BATCH }).facts.errors).toEqual([
        { pointer: '/items/1', code: 'too_many', detail: expect.any(String) },
      ]);
      expect(() => scan(fill('{"items":[', values(4_900), 3, ']}'), { limits: BATCH })).not.toThrow();
      const many = { ...BATCH, list: { ...BATCH.list, maxItems: 1_000 } };
      expect(refusalOf(fill('{"items":[', values(4_000), 130, ']}'), { limits: many }).code).toBe(
        'payload_too_large',
      );
    });
  });
});

function passes(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
