import { describe, expect, it } from '@jest/globals';
import { CaptureOptions, givenOptions } from '@app/capture';
import { AppError, fieldsOf } from '@app/kernel';
import { EgressGuard } from '@app/outbound';
import { MAX_BLANK_LINES, MAX_COLUMNS, MAX_ROW_BYTES, MAX_ROWS } from '../limits.js';
import { readCsv } from './csv-reader.js';
import { isBad, RowChecker, type CheckedRow, type RawOptions } from './row-checker.js';

const guard = new EgressGuard({ allow: [], deny: [], ports: new Set([80, 443]) });
const URL_ONE = 'https://example.com/1';

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer, void, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(
  csv: string | Buffer,
  { defaults = {}, size = 65_536 }: { defaults?: RawOptions; size?: number } = {},
): Promise<CheckedRow[]> {
  const checker = new RowChecker(guard, defaults);
  const rows: CheckedRow[] = [];
  for await (const row of readCsv(inPieces(Buffer.from(csv as string), size), { checker, defaults })) {
    rows.push(row);
  }
  return rows;
}

/** The options of each row; for bad rows their faults as `line column code`. */
async function outcomes(csv: string | Buffer, how = {}): Promise<unknown[]> {
  return (await read(csv, how)).map((row) =>
    isBad(row)
      ? row.faults.map(({ line, column = '', code }) => `${line} ${column} ${code}`)
      : givenOptions(row.options),
  );
}

async function refusal(csv: string | Buffer, how = {}): Promise<AppError> {
  const error: unknown = await read(csv, how).catch((thrown: unknown) => thrown);
  if (!(error instanceof AppError)) throw new Error('It was read');
  return error;
}

describe(readCsv.name, () => {
  it('reads options by the names of the columns, and leaves out empty cells', async () => {
    const rows = await outcomes(
      [
        'url,format,full_page,viewport_width,hide_selectors,headers,reference',
        `${URL_ONE},png,TRUE,800,"[""p""]","{""X-A"":""b""}",first`,
        `${URL_ONE},,,,,,`,
      ].join('\n'),
    );
    expect(rows).toEqual([
      {
        url: URL_ONE,
        format: 'png',
        full_page: true,
        viewport_width: 800,
        hide_selectors: ['p'],
        headers: { 'X-A': 'b' },
        reference: 'first',
      },
      { url: URL_ONE },
    ]);
  });

  it('reads no further chunk once the header is refused, and ends the stream', async () => {
    let chunks = 0;
    let isStopped = false;
    const body = async function* (): AsyncGenerator<Buffer> {
      try {
        for (yield Buffer.from('urll,format\n'); ; chunks++)
          yield await Promise.resolve(Buffer.from('x,png\n'));
      } finally {
        isStopped = true;
      }
    };
    const rows = readCsv(body(), { checker: new RowChecker(guard, {}), defaults: {} });
    await expect(rows.next()).rejects.toMatchObject({
      code: 'invalid_csv',
      facts: { errors: [{ line: 1 }] },
    });
    expect({ chunks, isStopped }).toEqual({ chunks: 0, isStopped: true });
  });

  it.each([
    ['blank lines', '\n\r\n'],
    ['a byte order mark and blank lines', '\ufeff\n\n'],
  ])('finds the header after %s', async (_, start) => {
    expect(await outcomes(`${start}url;format\n${URL_ONE};webp\n`)).toEqual([
      { url: URL_ONE, format: 'webp' },
    ]);
  });

  it('reads the options of clean pages, as spreadsheets write them', async () => {
    const rows = await outcomes(
      [
        'url;clean;block_ads;block_cookie_banners;cookie_consent;fail_on_verdict',
        `${URL_ONE};TRUE;;;accept;"[""blank""]"`,
        `${URL_ONE};;false;;;`,
        `${URL_ONE};!;;True;hide;`,
        `${URL_ONE};false;;;reject;`,
        `${URL_ONE};yes;;;;"[""bank""]"`,
      ].join('\n'),
      { defaults: { clean: true, block_chats: false } },
    );
    expect(rows).toEqual([
      { url: URL_ONE, clean: true, block_chats: false, cookie_consent: 'accept', fail_on_verdict: ['blank'] },
      { url: URL_ONE, clean: true, block_chats: false, block_ads: false },
      { url: URL_ONE, clean: null, block_chats: false, block_cookie_banners: true, cookie_consent: 'hide' },
      ['5 cookie_consent conflict'],
      ['6 clean wrong_type', '6 fail_on_verdict not_allowed'],
    ]);
  });

  it('removes a default by an exclamation mark, which a second one escapes', async () => {
    const csv = [
      'url,full_page,format,reference,viewport_width',
      `${URL_ONE},!,pdf,!,`,
      `${URL_ONE},!,pdf,!!,`,
      `${URL_ONE},,png,!!!,`,
      `${URL_ONE},,png,! now,`,
      `${URL_ONE},,png,,!!`,
      `!,,png,,`,
    ];
    const defaults = { full_page: true, reference: 'default' };
    expect(await outcomes(csv.join('\n'), { defaults })).toEqual([
      { url: URL_ONE, full_page: null, format: 'pdf', reference: null },
      { url: URL_ONE, full_page: null, format: 'pdf', reference: '!' },
      { url: URL_ONE, full_page: true, format: 'png', reference: '!!' },
      { url: URL_ONE, full_page: true, format: 'png', reference: '! now' },
      ['6 viewport_width wrong_type'],
      ['7 url required'],
    ]);
  });

  it('passes each row to onRow, valid or not', async () => {
    const seen: unknown[] = [];
    const csv = Buffer.from(`url,viewport_width\n${URL_ONE},800\n${URL_ONE},wide\n,\n`);
    const how = { checker: new RowChecker(guard, {}), defaults: {} };
    for await (const _ of readCsv(inPieces(csv, 65_536), { ...how, onRow: (row) => seen.push(row) }));
    expect(seen).toEqual([
      { url: URL_ONE, viewport_width: 800 },
      { url: URL_ONE, viewport_width: 'wide' },
      {},
    ]);
  });

  it.each([
    ['a byte order mark', `\ufeffurl,reference\n${URL_ONE},ä\n`],
    ['semicolons', `url;reference\n${URL_ONE};ä`],
    ['tabs', `url\treference\r\n${URL_ONE}\tä\r\n`],
    ['semicolons, and commas in quotes', `"url";"reference"\r\n${URL_ONE};ä`],
    ['CRLF', `url,reference\r\n${URL_ONE},ä\r\n`],
    ['CR only', `url,reference\r${URL_ONE},ä\r`],
    ['line ends of every kind', `url,reference\r\n${URL_ONE},ä\n\n\r\r\n`],
    ['blank lines before and after', `\n\r\nurl,reference\n\n${URL_ONE},ä\n\n\n`],
    ['no line end at the end', `url,reference\n${URL_ONE},ä`],
    ['white space around names', `url , reference\n${URL_ONE},ä`],
    ['quotes around everything', `"url","reference"\n"${URL_ONE}","ä"\n`],
  ])('understands %s', async (_, csv) => {
    for (const size of [1, 2, 3, 65_536]) {
      expect(await outcomes(csv, { size })).toEqual([{ url: URL_ONE, reference: 'ä' }]);
    }
  });

  it.each(['\n', '\r\n', '\r'])('reports the line in which a row begins, with line ends %j', async (end) => {
    const lines = ['url,reference', `${URL_ONE},"a${end}b${end}${end}c"`, '', 'x,', 'y,"z', '"', 'z,'];
    for (const size of [1, 65_536]) {
      expect(await outcomes(lines.join(end), { size })).toEqual([
        { url: URL_ONE, reference: `a${end}b${end}${end}c` },
        ['7 url invalid_value'],
        ['8 url invalid_value'],
        ['10 url invalid_value'],
      ]);
    }
  });

  it('reports every fault of every row, and continues', async () => {
    const csv = Buffer.concat([
      Buffer.from(`url,format,reference\nftp://x,exe,a\n${URL_ONE},png\n${URL_ONE},png,a,b\n${URL_ONE},,`),
      Buffer.from([0xe4]),
      Buffer.from(`\n${URL_ONE},,a\0b\nhttp://10.0.0.1/,,secret\n,,\n${URL_ONE},,`),
    ]);
    const rows = await read(csv);
    expect(rows.map((row) => (isBad(row) ? row.faults.map(({ code }) => code) : 'good'))).toEqual([
      ['invalid_value', 'not_allowed'],
      ['wrong_cell_count'],
      ['wrong_cell_count'],
      ['invalid_characters'],
      ['invalid_characters'],
      ['not_public'],
      ['required'],
      'good',
    ]);
    expect(rows[0]).toEqual({
      row: 1,
      reference: 'a',
      faults: [
        {
          pointer: 'url',
          row: 1,
          column: 'url',
          line: 2,
          code: 'invalid_value',
          detail: 'must be an http or https URL',
        },
        expect.objectContaining({
          pointer: 'format',
          column: 'format',
          detail: expect.stringContaining('png'),
        }),
      ],
    });
    expect(rows[5]).toMatchObject({ url: 'http://10.0.0.1/', reference: 'secret' });
  });

  it('does not repeat a URL with a password', async () => {
    const [row] = await read('url\nhttps://user:hunter2@example.com/');
    expect(JSON.stringify(row)).not.toContain('hunter2');
  });

  it('fills in defaults', async () => {
    const defaults = { url: URL_ONE, format: 'jpeg', quality: 50 };
    expect(await outcomes('quality,format\n,\n60,\n,png', { defaults })).toEqual([
      defaults,
      { ...defaults, quality: 60 },
      ['4 quality not_for_format'],
    ]);
  });

  describe('refuses the file as a whole', () => {
    const row = `${URL_ONE}\n`;
    it.each([
      ['without a column for the target', `reference\na`, 'url required'],
      ['with a repeated column', `url,format,url\n${row}`, 'url repeated'],
      ['with an unknown column', `urll\n${row}`, 'urll unknown_field'],
      ['with a column without a name', `url,,format\n${row}`, '2 empty_name'],
      ['with the column __proto__', `url,__proto__\n${row}`, '__proto__ unknown_field'],
      ['with the column constructor', `url,constructor\n${row}`, 'constructor unknown_field'],
      ['with NUL in a column name', `url,a\0b\n${row}`, 'a\0b unknown_field'],
      ['without a header', row, `${URL_ONE} unknown_field url required`],
    ])('%s', async (_, csv, faults) => {
      const { code, facts } = await refusal(csv);
      expect([code, facts.errors?.map((each) => `${each.column} ${each.code}`).join(' ')]).toEqual([
        'invalid_csv',
        faults,
      ]);
    });

    it('with a suggestion for a misspelt column', async () => {
      expect((await refusal('url,viewport_with\n')).message).toContain('did you mean viewport_width?');
    });

    it.each([
      ['that is not closed', `url\n${row}\n"a\n${row}`, 'unclosed_quote 2 4'],
      ['in the middle of a cell', `url\n\n${row}${row}a"b\n`, 'misplaced_quote 3 5'],
      ['that closes too early', `url,reference\n${URL_ONE},"a"b\n`, 'misplaced_quote 1 2'],
      ['that is not closed in the header', `"url\n${row}`, 'unclosed_quote undefined 1'],
    ])('with a quote %s', async (_, csv, fault) => {
      const { code, facts } = await refusal(csv);
      const [first] = facts.errors ?? [];
      expect([code, `${first?.code} ${first?.row} ${first?.line}`]).toEqual(['invalid_csv', fault]);
    });

    it.each([
      ['UTF-16 with a mark', Buffer.from('\ufeffurl\nx\n', 'utf16le'), 'UTF-16'],
      ['UTF-16 without one', Buffer.from('url\nx\n', 'utf16le'), 'UTF-16'],
      ['big-endian UTF-16 with a mark', Buffer.from('\ufeffurl\nx\n', 'utf16le').swap16(), 'UTF-16'],
      ['big-endian UTF-16 without one', Buffer.from('url\nx\n', 'utf16le').swap16(), 'UTF-16'],
      ['a spreadsheet', Buffer.from('PK\x03\x04\x14\0\x06\0'), '.xlsx'],
      ['an old spreadsheet', Buffer.from('d0cf11e0a1b11ae1', 'hex'), '.xls'],
      ['a PNG', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), 'PNG'],
      ['a JPEG', Buffer.from('ffd8ffe000104a464946', 'hex'), 'JPEG'],
      ['a GIF', Buffer.from('GIF89a\n'), 'GIF'],
      ['a PDF', Buffer.from('%PDF-1.7\n%âãÏÓ\n'), 'PDF'],
      ['gzip', Buffer.from('1f8b0800000000000003', 'hex'), 'Content-Encoding'],
    ])('that is %s, and explains it', async (_, bytes, word) => {
      for (const size of [1, 65_536]) {
        const { code, message } = await refusal(bytes, { size });
        expect([code, message]).toEqual(['invalid_csv', expect.stringContaining(word)]);
      }
    });

    it('with more columns than there are options', async () => {
      const { code, message } = await refusal(`${Array(20_000).fill('a').join()}\n`);
      expect([code, message]).toEqual(['invalid_csv', expect.stringContaining(`at most ${MAX_COLUMNS}`)]);
    });

    it('with a header or a row that is too long', async () => {
      expect((await refusal('u'.repeat(100_000))).message).toContain('65536');
      const long = await refusal(`url,html\n,"${'<p>'.repeat(2_000_000)}`);
      expect([long.code, long.facts.errors?.[0]?.code]).toEqual(['invalid_csv', 'too_long']);
    });
  });

  describe('refuses, before it parses a row, a file', () => {
    const good = `${URL_ONE}\n`;
    const extraCells = ','.repeat(MAX_COLUMNS);

    it.each([
      [
        'with a row that has more cells than a header may have',
        `url\n${good}x${extraCells}\n`,
        'wrong_cell_count 2 3',
      ],
      ['whose row is too long', `url\n\n${good}"${'a\n'.repeat(MAX_ROW_BYTES / 2)}`, 'too_long 2 4'],
      [
        'whose row is too long in many cells',
        `url\r\n${`"${'a'.repeat(99_999)}",`.repeat(50)}`,
        'too_long 1 2',
      ],
    ])('%s', async (_, csv, fault) => {
      let parsed = 0;
      const how = { checker: new RowChecker(guard, {}), defaults: {}, onRow: () => parsed++ };
      const rows = readCsv(inPieces(Buffer.from(csv), 65_536), how);
      const error = AppError.from(await rows.next().catch((thrown: unknown) => thrown));
      const [first] = error.facts.errors ?? [];
      expect([`${first?.code} ${first?.row} ${first?.line}`, parsed]).toEqual([fault, 0]);
    });

    it.each(['\n', '\r\n', '\r'])('with a row too many, whose lines end in %j', async (end) => {
      const rows = (count: number) => `url${end}${`x${end}`.repeat(count - 1)}x`;
      expect(await read(rows(MAX_ROWS))).toHaveLength(MAX_ROWS);
      expect((await refusal(rows(MAX_ROWS + 1))).code).toBe('payload_too_large');
      expect((await refusal(rows(MAX_ROWS + 1) + end, { size: 1_001 })).code).toBe('payload_too_large');
    });

    it('with very many blank lines', async () => {
      const blank = '\r\n'.repeat(MAX_BLANK_LINES - 1);
      expect(await outcomes(`url\r\n${blank}${good}`)).toEqual([{ url: URL_ONE }]);
      expect((await refusal(`url\r\n${blank}\r\n\r\n${good}`)).message).toContain('blank lines');
    });
  });

  it('does not count what is in quotes as cells or rows', async () => {
    const reference = `"${'""'.repeat(50)}${','.repeat(300)}${'\r\n'.repeat(100)}"`;
    const csv = `url,reference\n${`${URL_ONE},${reference}\n`.repeat(3)}`;
    for (const size of [1, 7, 65_536]) expect(await read(csv, { size })).toHaveLength(3);
  });

  it('refuses a list of very many values unparsed, and counts none that is in a text', async () => {
    const cell = (json: string): string => `"${json.replaceAll('"', '""')}"`;
    const csv = [
      'url,hide_selectors,headers',
      `${URL_ONE},${cell(`[${Array(6_000).fill('[]').join()}]`)},`,
      `${URL_ONE},,${cell(`{"X-A":${'['.repeat(6_000)}`)}`,
      `${URL_ONE},${cell(JSON.stringify([`p[a="\\",${'[['.repeat(3_000)}`]))},`,
    ];
    expect(await outcomes(csv.join('\n'))).toEqual([
      ['2 hide_selectors too_many'],
      ['3 headers too_many'],
      ['4 hide_selectors wrong_length'],
    ]);
  });

  it('reads no rows from an empty file', async () => {
    for (const csv of ['', '\n', 'url', 'url\n\n', '\ufeff']) expect(await read(csv)).toEqual([]);
  });

  it('reads html of 1 MB that is all quotes', async () => {
    const html = '"'.repeat(1_048_576);
    const [row] = await read(`html\n"${html.replaceAll('"', '""')}"\n`);
    expect(row).toMatchObject({ options: { html } });
  });

  it('yields to other work', async () => {
    let turns = 0;
    const count = setInterval(() => turns++, 0);
    await read(`url\n${`${URL_ONE}\n`.repeat(3_000)}`).finally(() => {
      clearInterval(count);
    });
    expect(turns).toBeGreaterThan(10);
  });

  it('closes the body when it refuses it', async () => {
    let isOver = false;
    async function* endless(): AsyncGenerator<Buffer, void, undefined> {
      try {
        for (;;) yield Buffer.alloc(65_536, 'a');
      } finally {
        isOver = true;
      }
    }
    const rows = readCsv(endless(), { checker: new RowChecker(guard, {}), defaults: {} });
    await expect(rows.next()).rejects.toThrow('65536');
    expect(isOver).toBe(true);
  });

  it('has room for a column of every option', () => {
    expect(fieldsOf(CaptureOptions).length).toBeLessThan(MAX_COLUMNS);
  });
});
