import { describe, expect, it } from '@jest/globals';
import { curlCode } from './curl.js';
import { goCode } from './go.js';
import { jsonWithout, phpText, pythonLiteral, scriptLiteral, shellText } from './literals.js';
import { phpCode } from './php.js';
import { typescriptCode } from './typescript.js';

const TEXT = `it's "$(x)" \`\${y}\` \\ \n\r\u0000\u2028\uFEFF é 😀 \ud800 JSON !`;
const OPTIONS = {
  url: 'https://example.com/',
  css: TEXT,
  headers: { ['__proto__']: "'" },
  hide_selectors: [TEXT],
};
const REQUEST = { baseUrl: 'http://service.test', options: OPTIONS };

/** The text between two marks. */
function between(code: string, start: string, end: string): string {
  const from = code.indexOf(start) + start.length;
  return code.slice(from, code.indexOf(end, from));
}

describe('texts in other languages', () => {
  it('stay the same in a raw text of Go, which ends only once', () => {
    const code = goCode(REQUEST);
    expect(JSON.parse(between(code, 'const body = `', '`\n\nfunc'))).toEqual(OPTIONS);
    expect(code.split('`')).toHaveLength(3);
    expect(code).not.toMatch(/[\uFEFF\r]/);
  });

  it('stay the same in a nowdoc of PHP and a here document of a shell, whose end is a line of its own', () => {
    const php = phpCode(REQUEST);
    expect(JSON.parse(between(php, "<<<'JSON'\n", '\nJSON;'))).toEqual(OPTIONS);
    expect(php.match(/^\s*JSON\b/gm)).toHaveLength(1);
    const curl = curlCode(REQUEST);
    expect(JSON.parse(between(curl, "<<'JSON'\n", '\nJSON\n'))).toEqual(OPTIONS);
    expect(curl.match(/^JSON$/gm)).toHaveLength(1);
    expect(curl).not.toContain('!');
  });

  it('are quoted in shells and PHP', () => {
    expect(shellText("it's $(x)")).toBe(String.raw`'it'\''s $(x)'`);
    expect(phpText(String.raw`it's \ $x`)).toBe(String.raw`'it\'s \\ $x'`);
  });

  it('become literals', () => {
    expect(scriptLiteral({ a: [1, true], 'b-c': {}, ['__proto__']: null })).toBe(
      '{\n  a: [\n    1,\n    true,\n  ],\n  "b-c": {},\n  ["__proto__"]: null,\n}',
    );
    expect(pythonLiteral({ a: [null, false, true, 'x', 0.1] })).toBe(
      '{\n    "a": [\n        None,\n        False,\n        True,\n        "x",\n        0.1,\n    ],\n}',
    );
    expect(jsonWithout('a!b', /!/g)).toBe(String.raw`"a\u0021b"`);
  });
});

describe('the file that the code saves', () => {
  it.each([
    [{}, '-o capture.png'],
    [{ format: 'markdown' }, '-o capture.md'],
    [{ response: 'zip', format: 'pdf' }, '-o capture.zip'],
    [{ outputs: [{ name: 'a' }, { name: 'b' }] }, '-o capture.json'],
    [{ outputs: [{ name: 'a', format: 'pdf' }], format: 'jpeg' }, '-o capture.pdf'],
    [{ full_page: true, slice_height: 900 }, '-o capture.json'],
    [{ outputs: [{ name: 'a', full_page: true, slice_height: 900 }] }, '-o capture.json'],
  ])('of %j has the right extension', (options, part) => {
    expect(curlCode({ ...REQUEST, options })).toContain(part);
  });

  it('is each of several in TypeScript', () => {
    const options = { ...OPTIONS, outputs: [{ name: 'a' }] };
    expect(typescriptCode({ ...REQUEST, options })).toContain('client.captures.fileToPath(record.id');
    expect(typescriptCode(REQUEST)).toContain('client.captureToFile(');
  });
});
