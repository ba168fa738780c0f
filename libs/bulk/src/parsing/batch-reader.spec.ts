import { describe, expect, it } from '@jest/globals';
import { givenOptions } from '@app/capture';
import { EgressGuard } from '@app/outbound';
import { MAX_ROW_FAULTS } from '../limits.js';
import { readItems } from './batch-reader.service.js';
import { defaultFaults, isBad, RowChecker, type CheckedRow, type RawOptions } from './row-checker.js';

const guard = new EgressGuard({ allow: [], deny: [], ports: new Set([80, 443]) });
const URL_ONE = 'https://example.com/1';

async function read(items: readonly unknown[], defaults: RawOptions = {}): Promise<CheckedRow[]> {
  const rows: CheckedRow[] = [];
  for await (const row of readItems(items, { checker: new RowChecker(guard, defaults), defaults })) {
    rows.push(row);
  }
  return rows;
}

describe(readItems.name, () => {
  it('applies each item over the defaults', async () => {
    const rows = await read([{ url: URL_ONE }, { url: URL_ONE, format: 'pdf' }], { format: 'webp' });
    expect(rows.map((row) => (isBad(row) ? row : givenOptions(row.options)))).toEqual([
      { url: URL_ONE, format: 'webp' },
      { url: URL_ONE, format: 'pdf' },
    ]);
    expect(rows.map(({ row }) => row)).toEqual([1, 2]);
  });

  it('turns single kinds of noise off below a default of clean', async () => {
    const rows = await read(
      [
        { url: URL_ONE, block_trackers: false },
        { url: URL_ONE, clean: null, cookie_consent: 'hide' },
      ],
      { clean: true, cookie_consent: 'accept' },
    );
    expect(rows).toMatchObject([
      { options: { clean: true, block_trackers: false, cookie_consent: 'accept' } },
      { faults: [{ pointer: '/items/1/cookie_consent', code: 'conflict' }] },
    ]);
  });

  it('removes a default by null', async () => {
    const items = [
      { url: URL_ONE, format: 'pdf', full_page: null },
      { url: URL_ONE, format: 'pdf' },
    ];
    const [pdf, other] = await read(items, { full_page: true });
    expect(pdf && !isBad(pdf) && pdf.options).toMatchObject({ format: 'pdf', full_page: false });
    expect(other).toMatchObject({ faults: [{ pointer: '/items/1/full_page', code: 'not_for_format' }] });
  });

  it('reports no default that a bad row has removed', async () => {
    const [row] = await read([{ url: null, html: '<p>', reference: null, format: 'exe' }], {
      url: URL_ONE,
      reference: 'default',
    });
    expect(row).toMatchObject({ row: 1, faults: [{ pointer: '/items/0/format' }] });
    expect(row).not.toHaveProperty('url');
    expect(row).not.toHaveProperty('reference');
  });

  it('reports every fault by row, column and pointer', async () => {
    const rows = await read([
      { url: URL_ONE, viewport_width: 1, urll: 'x', cookies: [{ name: 'a', value: 5 }] },
      5,
      null,
      [],
      { url: 'https://localhost/' },
      { html: '<p>', base_url: 'http://10.0.0.1/' },
      JSON.parse('{"__proto__":{"url":"x"},"url":"https://example.com/"}'),
    ]);
    const reported = rows.map((row) =>
      isBad(row) ? row.faults.map(({ pointer, column, code }) => `${pointer} ${column} ${code}`) : 'good',
    );
    expect(reported).toEqual([
      [
        '/items/0/urll urll unknown_field',
        '/items/0/viewport_width viewport_width out_of_range',
        '/items/0/cookies/0/value cookies wrong_type',
      ],
      ['/items/1 undefined wrong_type'],
      ['/items/2 undefined wrong_type'],
      ['/items/3 undefined wrong_type'],
      ['/items/4/url url not_public'],
      ['/items/5/base_url base_url not_public'],
      ['/items/6/__proto__ __proto__ unknown_field'],
    ]);
    expect(rows.flatMap((row) => (isBad(row) ? row.faults.map((fault) => fault.row) : []))).toEqual([
      1, 1, 1, 2, 3, 4, 5, 6, 7,
    ]);
  });

  it('returns the url, the reference and the format of a bad row if they are valid', async () => {
    const rows = await read(
      [
        { url: 'https://EXAMPLE.com', format: 'exe' },
        { url: 'https://u:hunter2@example.com/', reference: 'a', format: 'webp' },
        { url: URL_ONE, reference: 'x'.repeat(201), outputs: [{ format: 'pdf' }] },
        { url: 5, reference: '\ud800' },
        { reference: 'c', headers: { a: [[[]]] }, url: 'no url' },
        { reference: 'd' },
      ],
      { reference: 'default', format: 'jpeg' },
    );
    expect(rows.map((row) => (isBad(row) ? [row.url, row.reference, row.format] : 'good'))).toEqual([
      ['https://example.com/', 'default', undefined],
      [undefined, 'a', 'webp'],
      [URL_ONE, undefined, 'pdf'],
      [undefined, undefined, 'jpeg'],
      [undefined, 'c', 'jpeg'],
      [undefined, 'd', 'jpeg'],
    ]);
  });

  it('limits the faults of one row', async () => {
    const [row] = await read([Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`f${i}`, 1]))]);
    expect(row).toMatchObject({ faults: { length: MAX_ROW_FAULTS } });
  });

  it('passes each item to onRow, valid or not', async () => {
    const seen: unknown[] = [];
    const items = [{ url: URL_ONE }, 5];
    const options = { checker: new RowChecker(guard, {}), defaults: {} };
    for await (const _ of readItems(items, { ...options, onRow: (item) => seen.push(item) }));
    expect(seen).toEqual(items);
  });
});

describe(defaultFaults.name, () => {
  it.each([
    [{ format: 'exe' }, '/defaults/format not_allowed'],
    [{ url: 'http://10.0.0.1/' }, '/defaults/url not_public'],
    [{ headers: { constructor: 'x' } }, '/defaults/headers/constructor unknown_field'],
    [[], '/defaults wrong_type'],
    // Rules over several fields apply to whole rows.
    [{ format: 'png', quality: 50, clip_x: 1 }, ''],
  ])('checks %j', (defaults, expected) => {
    const faults = defaultFaults(guard, defaults, '/defaults');
    expect(faults.map(({ pointer, code }) => `${pointer} ${code}`).join()).toBe(expected);
  });
});
