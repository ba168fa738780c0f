import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, type Client, type Json } from '../../../../test/support/client.js';

type RowError = Json & {
  readonly row: number;
  readonly column?: string;
  readonly line: number;
  readonly code: string;
};
type Report = Json & { readonly errors: RowError[] };

const PAGE = 'https://example.com/';

/** What a page shows that lets its user correct a file before it is submitted. */
describe('a dry run of a CSV', () => {
  let api: TestApi;
  let client: Client;

  beforeAll(async () => {
    api = await startApi();
    client = await api.client({ allowance: 10_000 });
  });
  afterAll(() => api.close());

  const report = async (body: string | Uint8Array<ArrayBuffer>, query = ''): Promise<Report> =>
    (await json(
      client.send('POST', `/v1/bulk/csv?dry_run=true${query}`, {
        headers: { 'content-type': 'text/csv' },
        body,
      }),
    )) as Report;
  const placesOf = ({ errors }: Report): string[] =>
    errors.map(({ row, line, column, code }) => `${row} ${line} ${column ?? '-'} ${code}`);

  it('names every bad row of 5,000, however many come before it', async () => {
    const rows = Array.from({ length: 5_000 }, (_, i) => `${PAGE}${i},${i % 4 === 0 ? 800 : 5}`);
    const found = await report(`url,viewport_width\n${rows.join('\n')}\n`);
    expect(found).toMatchObject({ total: 5_000, valid: 1_250, rejected: 3_750, errors_omitted: 0 });
    expect(found).toMatchObject({ would_accept: false, allowance: { needed: 1_250, available: 10_000 } });
    const bad = rows.flatMap((_, i) =>
      i % 4 === 0 ? [] : [`${i + 1} ${i + 2} viewport_width out_of_range`],
    );
    expect(placesOf(found)).toEqual(bad);
  });

  it('would accept as many rows as the allowance has left, and not one more', async () => {
    const small = await api.client({ allowance: 2 });
    const ask = (rows: number) => {
      const headers = { 'content-type': 'text/csv' };
      return json(
        small.send('POST', '/v1/bulk/csv?dry_run=true', {
          headers,
          body: `url\n${`${PAGE}\n`.repeat(rows)}`,
        }),
      );
    };
    expect(await ask(2)).toMatchObject({ would_accept: true, allowance: { needed: 2, available: 2 } });
    expect(await ask(3)).toMatchObject({ would_accept: false, allowance: { needed: 3, available: 2 } });
  });

  it('lists the first fault of each row beyond 1,000 faults, and counts those that it leaves out', async () => {
    const rows = Array.from({ length: 600 }, () => `${PAGE},5,maybe`);
    const found = await report(`url,viewport_width,full_page\n${rows.join('\n')}`, '&on_invalid=skip');
    expect(found).toMatchObject({ would_accept: true, valid: 0, rejected: 600, errors_omitted: 100 });
    expect(found.errors).toHaveLength(1_100);
    expect(new Set(found.errors.map(({ row }) => row)).size).toBe(600);
    const numbers = found.errors.map(({ row }) => row);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  it('is what a refusal at the hundredth bad row refers to, which says how many rows were checked', async () => {
    const body = `url\n${`${PAGE}\n`.repeat(50)}${'nowhere\n'.repeat(150)}`;
    const headers = { 'content-type': 'text/csv' };
    const refused = await json(client.send('POST', '/v1/bulk/csv', { headers, body }));
    expect(refused.detail).toBe(
      '100 of the first 150 rows are not valid, and the rows after these were not checked (dry_run=true checks all); nothing is stored. Correct the faults in errors, or send on_invalid=skip to capture the other rows.',
    );
    expect(refused).toMatchObject({ code: 'invalid_csv', rows_checked: 150 });
    expect(refused.errors).toHaveLength(100);
    expect(await report(body)).toMatchObject({ total: 200, valid: 50, rejected: 150 });
  });

  it('finds rows, lines and columns in a file of a spreadsheet, with a byte order mark, semicolons and line breaks in cells', async () => {
    const csv = [
      '\ufeff"reference";url;format;quality',
      `"a;\r\n""b""";${PAGE};png;`,
      '',
      `c;example.com;gif;`,
      `d;${PAGE};png;7`,
      `e;${PAGE}`,
      `f;${PAGE};jpeg;viel`,
      `"g\n";http://10.0.0.1/;;`,
      '',
    ].join('\r\n');
    const found = await report(
      Buffer.concat([Buffer.from(csv), Buffer.from([0xe4]), Buffer.from(`;${PAGE};;`)]),
    );
    expect(placesOf(found)).toEqual([
      '2 5 url invalid_value',
      '2 5 format not_allowed',
      '3 6 quality not_for_format',
      '4 7 - wrong_cell_count',
      '5 8 quality wrong_type',
      '6 9 url not_public',
      '7 11 reference invalid_characters',
    ]);
    expect(found).toMatchObject({ total: 7, valid: 1, rejected: 6 });
    for (const { detail } of found.errors) expect(detail).toMatch(/^(must|is|has|can|applies)/);
  });

  it.each([
    [`url,viewport_widht\n${PAGE},5\n${PAGE},6\n`, ['viewport_widht'], 'did you mean viewport_width?'],
    [`URL;Full Page\n${PAGE};x\n`, ['URL', 'Full Page'], 'did you mean url? (and 1 more)'],
    [`link\n${PAGE}\n`, ['link', 'url'], 'is not a known field'],
  ])('reports a wrong column once, with the name that is meant: %j', async (csv, columns, detail) => {
    const found = await report(csv);
    expect(found).toMatchObject({ code: 'invalid_csv', detail: expect.stringContaining(detail) });
    expect(found.errors.map(({ column, line }) => [column, line])).toEqual(columns.map((name) => [name, 1]));
  });
});
