import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
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
  it.each(TEXTS)('%s', (text) => {
    const paragraphs = paragraphsOf(readFileSync(text, 'utf8'));
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

  it.each([
    'The service does not answer. What you see is what it said last.',
    'No other secret signs.',
    'To the newer or the older one',
    'To the first or the last one that is loaded',
    'Marked: what differs',
    'Times are those of UTC.',
    '| callers at once | captures per hour | of it per core |',
    'What the filter lists of `block_ads` and its like name is hidden.',
    'Ages do not depend on these clocks: the database reckons them.',
    '`jobs cancel` and `jobs events` do what their names say.',
    'All tools are marked as reading only.',
    'Output — not for this format',
  ])('and a text of a page that has to be read twice is found: %s', (text) => {
    expect(refusedIn(text)).not.toEqual([]);
  });
});

const PAGES = TEXTS.filter((text) => text.endsWith('.md'));

function anchorsOf(page: string): string[] {
  return [...readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
}

describe('references of pages', () => {
  it.each(PAGES)('%s links only to existing files and headings', (page) => {
    const links = [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)/g)];
    for (const [link, file = '', anchor = ''] of links) {
      const target = file === '' ? page : path.join(path.dirname(page), file);
      expect([link, existsSync(target)]).toEqual([link, true]);
      if (anchor !== '') expect(anchorsOf(target)).toContain(anchor);
    }
  });

  it.each(PAGES)('%s names only existing files of the source', (page) => {
    const named =
      readFileSync(page, 'utf8').match(/(?<!dist\/)\b(?:apps|bench|docker|libs|scripts|test)\/[\w./-]*\w/g) ??
      [];
    expect(named.filter((file) => !existsSync(file))).toEqual([]);
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
