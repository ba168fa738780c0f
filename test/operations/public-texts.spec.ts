import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ERROR_CODES, ERRORS } from '@app/kernel';
import { proseOf, refusedIn } from '../../scripts/check/plain-english.mjs';

const filesIn = (folder: string, extension: RegExp): string[] =>
  readdirSync(folder)
    .filter((name) => extension.test(name))
    .map((name) => `${folder}/${name}`);

const TEXTS = [
  ...[
    'README.md',
    'SECURITY.md',
    'CONTRIBUTING.md',
    '.env.example',
    'docker-compose.yml',
    'Dockerfile',
    'docs/openapi.json',
  ],
  ...['docs', 'docs/adr', 'test/site'].flatMap((folder) => filesIn(folder, /\.md$/)),
  ...filesIn('docs/clients', /\.(ts|mjs)$/),
  ...filesIn('docs/monitoring', /\.(json|yml)$/),
  ...['test/site', 'test/site/hostile'].flatMap((folder) => filesIn(folder, /\.html$/)),
];

/** Paragraphs, list items, rows of a table, lines of JSON: a phrase may be broken over two lines of one, never over two of them. */
function paragraphsOf(text: string): string[] {
  return text.split(/\n(?=\s*(?:[-*|#"]|\d+\. )|\s*\n)/);
}

describe('public texts are in plain English:', () => {
  it.each(TEXTS)('%s', (path) => {
    const paragraphs = paragraphsOf(readFileSync(path, 'utf8'));
    expect(paragraphs.flatMap((each) => refusedIn(proseOf(each)))).toEqual([]);
  });

  it.each(ERROR_CODES)('the error %s', (code) => {
    const { title, doc } = ERRORS[code];
    expect([title, doc].flatMap(refusedIn)).toEqual([]);
  });

  it('and what is not is found', () => {
    const found = paragraphsOf('Mend them,\nor wait for\never.\n- Of a batch, the rows.').flatMap(refusedIn);
    expect(found).toEqual([
      expect.stringContaining('"for ever"'),
      expect.stringContaining('"Mend"'),
      expect.stringContaining('Of a'),
    ]);
  });
});

describe('the index of decisions', () => {
  it('lists every record', () => {
    const records = readdirSync('docs/adr').filter((name) => /^\d{4}-/.test(name));
    const listed = [...readFileSync('docs/adr/README.md', 'utf8').matchAll(/\]\((\d{4}-[^)]*)\)/g)].map(
      ([, name]) => name,
    );
    expect(listed).toEqual(records.toSorted());
  });
});
