import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MAX_ROWS } from '@app/bulk';
import { newId, type Fault } from '@app/kernel';
import { startApi, type TestApi } from '../support/api.js';
import { json, type Client, type Json } from '../support/client.js';
import { refusalOf, SECRET, tracesIn } from './refusal.js';

const PAGE = 'https://example.com/';
const CSV = { 'content-type': 'text/csv' };

/** Rows 80 to 88 of the bad-input matrix, and other files that are not CSVs. */
describe('a batch', () => {
  let api: TestApi;
  let client: Client & { readonly accountId: string };

  beforeAll(async () => {
    api = await startApi();
    client = await api.client({ allowance: 100_000 });
  });

  afterAll(async () => {
    await api.close();
  });

  const sendCsv = (body: BodyInit, query = '', headers: Record<string, string> = CSV): Promise<Response> =>
    client.send('POST', `/v1/bulk/csv${query}`, { body, headers });
  const sendJson = (body: Json, query = ''): Promise<Response> => client.post(`/v1/bulk/json${query}`, body);
  const sendForm = (fill: (form: FormData) => void): Promise<Response> => {
    const form = new FormData();
    fill(form);
    return sendCsv(form, '', {});
  };
  const file = (content: string | Buffer): Blob => new Blob([new Uint8Array(Buffer.from(content as string))]);

  /** The refusal of a request, which must have left no trace. */
  const refused = async (send: () => Promise<Response>): Promise<string> => {
    const before = await tracesIn(api);
    const refusal = await refusalOf(send());
    expect(await tracesIn(api)).toEqual(before);
    return refusal;
  };
  const detailOf = async (send: () => Promise<Response>): Promise<unknown> => (await json(send())).detail;
  /** The faults of a response, each as `row line column code`. */
  const faultsIn = (answer: Json): string[] =>
    (answer.errors as Fault[]).map(({ row, line, column, code }) => `${row} ${line} ${column} ${code}`);
  /** The stored options of the rows. */
  const stored = async (answer: Promise<Response>, fields: readonly string[]): Promise<unknown[]> => {
    const response = await answer;
    const record = await json(response);
    expect([response.status, record.errors]).toEqual([202, expect.any(Array)]);
    expect(response.headers.get('location')).toBe(`/v1/bulk/${String(record.id)}`);
    const { items } = await json(client.get(`${String(record.results_url)}?limit=100`));
    return (items as Json[]).map((item) => fields.map((field) => item[field]));
  };

  describe('without rows, or with too many, is refused', () => {
    it.each(['', '\n\n', 'url', 'url\r\n\r\n', '\ufeffurl;format\n'])('as the CSV %j', async (csv) => {
      expect(await refused(() => sendCsv(csv))).toBe('400 invalid_request');
      expect(await refused(() => sendCsv(csv, '?on_invalid=skip'))).toBe('400 invalid_request');
    });

    it('as JSON', async () => {
      expect(await refused(() => sendJson({ items: [] }))).toBe('400 invalid_request');
      const items = Array(MAX_ROWS + 1).fill({ url: PAGE });
      expect(await refused(() => sendJson({ items }))).toBe('413 payload_too_large');
    });

    it('as a CSV with one row too many', async () => {
      const csv = `url\n${`${PAGE}\n`.repeat(MAX_ROWS + 1)}`;
      const before = await tracesIn(api);
      const problem = await json(sendCsv(csv));
      expect(problem).toMatchObject({ code: 'payload_too_large', status: 413 });
      expect(problem.detail).toContain(String(MAX_ROWS));
      expect(await tracesIn(api)).toEqual(before);
    });
  });

  describe('with a bad header is refused, and its columns are named:', () => {
    it.each([
      ['no url', `reference\na`, 'url'],
      ['url twice', `url,url\n${PAGE},${PAGE}`, 'url'],
      ['a column that is no option', `url,urll\n${PAGE},`, 'urll'],
      ['a column without a name', `url,,format\n${PAGE},,`, '2'],
      ['a name of every object', `url,__proto__,constructor\n${PAGE},a,b`, '__proto__ constructor'],
      ['NUL in a name', `url,a\0b\n${PAGE},`, 'a\0b'],
      ['names in UTF-8 that is none', Buffer.from([0x75, 0x72, 0x6c, 0x2c, 0xff, 0x0a]), '2'],
    ])('%s', async (_, csv, columns) => {
      expect(await refused(() => sendCsv(csv as string))).toBe(`400 invalid_csv ${columns}`);
    });

    it('20,000 columns', async () => {
      const named = Array.from({ length: 20_000 }, (_, i) => `viewport_widt${i}`).join();
      const short = Array(20_000).fill('a').join();
      for (const header of [named, short]) {
        expect(await refused(() => sendCsv(`${header}\n`))).toBe('400 invalid_csv');
      }
    });
  });

  it.each([
    ['a quote that is not closed', `url\n${PAGE}\n"${PAGE}\n${PAGE}\n`, ['2 3 undefined unclosed_quote']],
    ['a quote within a cell', `url,css\n${PAGE},a"b\n`, ['1 2 undefined misplaced_quote']],
    ['a cell too few', `url,css\n${PAGE}\n`, ['1 2 undefined wrong_cell_count']],
    ['a cell too many', `url\n${PAGE},\n`, ['1 2 undefined wrong_cell_count']],
    ['NUL in a cell', `url,css\n\n${PAGE},a\0b\n`, ['1 3 css invalid_characters']],
    [
      'UTF-8 that is none',
      Buffer.concat([Buffer.from(`url,css\r${PAGE},`), Buffer.from([0xe4]), Buffer.from(`\r${PAGE},`)]),
      ['1 2 css invalid_characters'],
    ],
    [
      'faults of options',
      `url,format,viewport_width\nftp://x,exe,\n"${PAGE}",,1\nhttp://10.0.0.1/,,\n`,
      [
        '1 2 url invalid_value',
        '1 2 format not_allowed',
        '2 3 viewport_width out_of_range',
        '3 4 url not_public',
      ],
    ],
  ])('with %s is refused, and the response says where', async (_, csv, faults) => {
    expect(await refused(() => sendCsv(csv as string))).toMatch(/^400 invalid_csv/);
    expect(faultsIn(await json(sendCsv(csv as string)))).toEqual(faults);
  });

  it.each([
    ['a mark of UTF-8', `\ufeffurl,reference\n${PAGE},ä`],
    ['CRLF', `url,reference\r\n${PAGE},ä\r\n`],
    ['CR only', `url,reference\r${PAGE},ä\r`],
    ['trailing blank lines', `url,reference\n${PAGE},ä\n\n\r\n\n`],
    ['semicolons', `url;reference\n${PAGE};ä`],
    ['tabs', `url\treference\n${PAGE}\tä`],
    ['columns in another order', `"reference","url"\n"ä","${PAGE}"`],
  ])('of a CSV with %s is accepted', async (_, csv) => {
    expect(await stored(sendCsv(csv), ['row', 'url', 'reference'])).toEqual([[1, PAGE, 'ä']]);
  });

  it('keeps line ends and quotes in cells as they are', async () => {
    const rows = stored(sendCsv(`url,reference,css\n${PAGE},"a\r\nb\n""c""",`), ['reference']);
    expect(await rows).toEqual([['a\r\nb\n"c"']]);
  });

  it('stores formulas, and escapes them in the results', async () => {
    const reference = `=cmd|'/c calc'!A1`;
    const { id } = await json(sendJson({ items: [{ url: PAGE, reference }] }));
    const { items } = await json(client.get(`/v1/bulk/${String(id)}/results`));
    expect(items).toMatchObject([{ reference }]);
    expect(await (await client.get(`/v1/bulk/${String(id)}/download`)).text()).toContain(`1,'${reference},`);
  });

  it('with bad rows is accepted with on_invalid skip, and charged for the good ones', async () => {
    const who = await api.client();
    const send = (path: string, init: RequestInit): Promise<Json> => json(who.send('POST', path, init));
    const csv = `url,format\n${PAGE},png\n${PAGE},exe\nhttps://u:${SECRET}@example.com/,png\n${PAGE},`;
    const answer = await send('/v1/bulk/csv?on_invalid=skip', { body: csv, headers: CSV });
    expect(answer).toMatchObject({ total: 4, rejected: 2, counts: { queued: 2, failed: 2 } });
    expect(faultsIn(answer)).toEqual(['2 3 format not_allowed', '3 4 url invalid_value']);
    expect(await json(who.get('/v1/usage'))).toMatchObject({ used: 2 });
    const failed = await json(who.get(`/v1/bulk/${String(answer.id)}/results?status=failed`));
    expect(failed.items).toMatchObject([
      {
        row: 2,
        url: PAGE,
        billable: false,
        error: { code: 'invalid_request', errors: [{ column: 'format' }] },
      },
      { row: 3, url: null, error: { code: 'invalid_request' } },
    ]);
    expect(JSON.stringify([answer, failed])).not.toContain(SECRET);
    expect(await json(who.get(`/v1/bulk/${String(answer.id)}`))).not.toHaveProperty('errors');
  });

  describe('in JSON is refused', () => {
    it.each([
      ['without items', {}, '/items'],
      ['with items that are no list', { items: { url: PAGE } }, '/items'],
      ['with an item that is no object', { items: [{ url: PAGE }, PAGE] }, '/items/1'],
      ['with items within items', { items: [[{ url: PAGE }]] }, '/items/0'],
      ['with a field that is none', { items: [{ url: PAGE }], itemz: 1 }, '/itemz'],
      ['with defaults that are no object', { items: [{ url: PAGE }], defaults: [] }, '/defaults'],
      ['with a bad default', { items: [{ url: PAGE }], defaults: { format: 'exe' } }, '/defaults/format'],
      ['with a private default', { items: [{}], defaults: { url: 'http://[::1]/' } }, '/defaults/url'],
      [
        'with a default of every object',
        JSON.parse('{"items":[{}],"defaults":{"__proto__":1}}') as Json,
        '/defaults/__proto__',
      ],
      [
        'with items of every object',
        JSON.parse(`{"items":[{"url":"${PAGE}","constructor":{}}]}`) as Json,
        '/items/0/constructor',
      ],
      ['with another on_invalid', { items: [{ url: PAGE }], on_invalid: 'stop' }, '/on_invalid'],
      [
        'with items and a batch to retry',
        { items: [{ url: PAGE }], retry_failed_of: newId() },
        '/retry_failed_of',
      ],
      ['with a batch to retry that is none', { retry_failed_of: 'x' }, '/retry_failed_of'],
      [
        'with an address to notify that is none',
        { items: [{ url: PAGE }], webhook_url: 'x' },
        '/webhook_url',
      ],
    ])('%s', async (_, body: Json, pointer) => {
      expect(await refused(() => sendJson(body))).toBe(`400 invalid_request ${pointer}`);
    });

    it('with defaults that leave no room for its rows, before any row is read', async () => {
      const items = [{ itemz: 1 }, ...Array<Json>(200).fill({})];
      const answer = () => sendJson({ items, defaults: { html: 'x'.repeat(1_000_000) } });
      expect(await refused(answer)).toBe('413 payload_too_large');
    });

    it('with a private webhook_url, or an unknown batch to retry', async () => {
      const webhook_url = 'https://10.0.0.1/';
      expect(await refused(() => sendJson({ items: [{ url: PAGE }], webhook_url }))).toBe(
        '403 target_forbidden /webhook_url',
      );
      expect(await refused(() => sendJson({ retry_failed_of: newId() }))).toBe('404 not_found');
    });

    it('with more fields than it can have', async () => {
      const body = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`f${i}`, 1]));
      expect(await refused(() => sendJson(body))).toBe('400 invalid_request ');
    });

    it('at its hundredth bad row, with the faults of these and the number of rows that were checked', async () => {
      const items = Array.from({ length: 3_000 }, (_, i) => ({ url: PAGE, format: i === 0 ? 'png' : 'exe' }));
      const answer = await json(sendJson({ items }));
      expect(answer.errors).toHaveLength(100);
      expect(answer).toMatchObject({ rows_checked: 101 });
      expect(answer.detail).toMatch(
        /^100 of the first 101 rows are not valid, and the rows after these were not/,
      );
    });
  });

  it('larger than the rest of the allowance is refused as a whole', async () => {
    const poor = await api.client({ allowance: 2 });
    const items = Array(3).fill({ url: PAGE });
    const before = await tracesIn(api);
    expect(await refusalOf(poor.post('/v1/bulk/json', { items }))).toBe('402 allowance_exhausted');
    expect(
      await refusalOf(
        poor.send('POST', '/v1/bulk/csv', { body: `url\n${`${PAGE}\n`.repeat(3)}`, headers: CSV }),
      ),
    ).toBe('402 allowance_exhausted');
    expect(await tracesIn(api)).toEqual(before);
    expect(await json(poor.get('/v1/usage'))).toMatchObject({ used: 0 });
  });

  describe('of a file that is not a CSV is refused, and the response names the type:', () => {
    const utf16 = Buffer.from(`url\n${PAGE}\n`, 'utf16le');
    it.each([
      ['a spreadsheet', Buffer.from('504b03041400060008000000', 'hex'), '.xlsx'],
      ['an old spreadsheet', Buffer.from('d0cf11e0a1b11ae100000000', 'hex'), '.xls'],
      ['a PNG', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'PNG'],
      ['a JPEG', Buffer.from('ffd8ffe000104a46494600010100', 'hex'), 'JPEG'],
      ['a GIF', Buffer.from('GIF89a\x01\0\x01\0'), 'GIF'],
      ['a PDF', Buffer.from('%PDF-1.7\n1 0 obj\n'), 'PDF'],
      ['gzip', gzipSync(`url\n${PAGE}\n`), 'gzip'],
      ['UTF-16', utf16, 'UTF-16'],
      ['UTF-16 with a mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), 'UTF-16'],
      ['UTF-16 of big endian', Buffer.from(utf16).swap16(), 'UTF-16'],
      ['that with a mark', Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(utf16).swap16()]), 'UTF-16'],
    ])('%s', async (_, bytes, word) => {
      for (const send of [
        () => sendCsv(new Uint8Array(bytes)),
        () => sendForm((form) => form.append('file', file(bytes), 'pages.csv')),
      ]) {
        expect(await refused(send)).toBe('400 invalid_csv');
        expect(await detailOf(send)).toContain(word);
      }
    });
  });

  describe('in a form', () => {
    const csv = `url\n${PAGE}\n`;

    it.each(['../../x.csv', 'C:\\x.csv', 'x', '.csv', 'a\u202eb.exe', ''])(
      'is accepted with any file name, %j',
      async (name) => {
        const answer = sendForm((form) => form.append('file', file(csv), name));
        expect(await stored(answer, ['url'])).toEqual([[PAGE]]);
      },
    );

    it.each<[string, (form: FormData) => void, string]>([
      ['no field', () => undefined, 'file'],
      ['another file', (form) => form.append('csv', file(csv), 'x.csv'), 'csv'],
      [
        'another file after it',
        (form) => (form.append('file', file(csv), 'x'), form.append('b', file(csv), 'b')),
        'b',
      ],
      [
        'another field',
        (form) => (form.append('file', file(csv), 'x'), form.append('dry_run', 'true')),
        'dry_run',
      ],
      [
        'two files',
        (form) => (form.append('file', file(csv), 'x'), form.append('file', file(csv), 'y')),
        'file',
      ],
      ['a field that is no file', (form) => form.append('file', csv), 'file'],
      ['a name of every object', (form) => form.append('__proto__', csv), '__proto__'],
    ])('is refused with %s, which is named', async (_, fill, field) => {
      expect(await refused(() => sendForm(fill))).toBe(`400 invalid_request ${field}`);
    });

    it.each([
      ['that breaks off', `--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n${csv}`],
      ['that breaks off in its headers', '--b\r\nContent-Disposition: form-data; na'],
      ['that is none', csv],
      ['that is empty', ''],
      [
        'whose file has no name',
        `--b\r\nContent-Disposition: form-data; filename="x"\r\n\r\n${csv}\r\n--b--\r\n`,
      ],
      ['whose part has no headers', `--b\r\n\r\n${csv}\r\n--b--\r\n`],
    ])('%s is refused', async (_, body) => {
      const type = { 'content-type': 'multipart/form-data; boundary=b' };
      expect(await refused(() => sendCsv(body, '', type))).toMatch(/^400 invalid_request/);
    });
  });

  it.each([
    'application/json',
    'text/plain',
    'application/vnd.ms-excel',
    'text/csv; charset=utf-16',
    'text/csv; charset=iso-8859-1',
    'text/csvx',
    'multipart/mixed; boundary=b',
    'multipart/form-data',
    ';',
  ])('of the type %s is refused', async (type) => {
    const refusal = await refused(() => sendCsv(`url\n${PAGE}`, '', { 'content-type': type }));
    expect(refusal).toBe('415 unsupported_media_type');
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('is decoded from %s', async (encoding, compress) => {
    const headers = { ...CSV, 'content-encoding': encoding };
    const answer = sendCsv(new Uint8Array(compress(`url\n${PAGE}\n`)), '', headers);
    expect(await stored(answer, ['url'])).toEqual([[PAGE]]);
  });

  describe('with defaults in the query', () => {
    const options = async (query: string, csv: string): Promise<unknown> =>
      (await stored(sendCsv(csv, query), ['options']))[0];

    it('accepts them by name, in one object, or both', async () => {
      const all = [{ url: PAGE, format: 'pdf', pdf_scale: 2, hide_selectors: ['p'] }];
      const byName = `?format=pdf&pdf_scale=2&hide_selectors=${encodeURIComponent('["p"]')}`;
      const inOne = encodeURIComponent('{"format":"pdf","pdf_scale":2,"hide_selectors":["p"]}');
      expect(await options(byName, `url\n${PAGE}`)).toEqual(all);
      expect(await options(`?defaults=${inOne}`, `url\n${PAGE}`)).toEqual(all);
      expect(await options(`?defaults=${inOne}&url=${PAGE}`, 'reference\n""\n')).toEqual(all);
    });

    it.each([
      ['?formatt=pdf', '/formatt'],
      ['?format=exe', '/format'],
      ['?format=pdf&format=png', '/format'],
      ['?format=pdf&defaults={"format":"png"}', '/format'],
      ['?defaults=x', '/defaults'],
      ['?defaults=[]', '/defaults'],
      ['?defaults={"format":"exe"}', '/defaults/format'],
      ['?url=http://127.0.0.1/', '/url'],
      ['?__proto__=1', '/__proto__'],
      ['?dry_run=yes', '/dry_run'],
      ['?on_invalid=', '/on_invalid'],
      ['?webhook_url=x', '/webhook_url'],
      ['?retry_failed_of=x', '/retry_failed_of'],
    ])('refuses %s', async (query, pointer) => {
      expect(await refused(() => sendCsv(`url\n${PAGE}`, query))).toBe(`400 invalid_request ${pointer}`);
    });
  });

  it('as a dry run is checked, and leaves neither a trace nor a key', async () => {
    const before = await tracesIn(api);
    const headers = { ...CSV, 'idempotency-key': newId() };
    const answer = await sendCsv(`url\n${PAGE}\nx\n`, '?dry_run=true', headers);
    expect(answer.status).toBe(200);
    expect(await json(answer)).toMatchObject({
      dry_run: true,
      would_accept: false,
      total: 2,
      valid: 1,
      rejected: 1,
      errors: [{ row: 2, line: 3, column: 'url' }],
    });
    expect(await tracesIn(api)).toEqual(before);
    expect((await sendCsv(`url\n${PAGE}\n`, '', headers)).status).toBe(202);
  });

  it('under an Idempotency-Key is the same in any spelling, and differs from any other batch', async () => {
    const headers = { ...CSV, 'idempotency-key': newId() };
    const first = await json(sendCsv(`url,format\n${PAGE},png\n`, '?full_page=true', headers));
    const again = await sendCsv(
      `\ufeff"format";"url"\r\n"png";${PAGE}\r\n\r\n`,
      '?defaults={"full_page":true}',
      headers,
    );
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true']);
    expect(await json(again)).toEqual(first);
    for (const [csv, query] of [
      [`url,format\n${PAGE},webp\n`, '?full_page=true'],
      [`url,format\n${PAGE},png\n`, ''],
      [`url,format\n${PAGE},png\n${PAGE},png\n`, '?full_page=true'],
    ] as const) {
      expect(await refused(() => sendCsv(csv, query, headers))).toBe('422 idempotency_mismatch');
    }
  });
});
