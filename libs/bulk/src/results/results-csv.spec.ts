import { describe, expect, it } from '@jest/globals';
import type { ExportedRow } from '@app/jobs';
import { writeResults } from './results-csv.service.js';

const HEADER =
  'row,reference,url,final_url,status,http_status,error_code,error_message,attempts,format,width,height,bytes,sha256,' +
  'title,queue_ms,total_ms,result_url,expires_at,created_at,finished_at\r\n';

/** A row whose other cells are empty. */
function aRow(row: number, cells: Partial<ExportedRow> = {}): ExportedRow {
  return { ...cells, row } as ExportedRow;
}

async function write(...pages: ExportedRow[][]): Promise<string> {
  const pieces: string[] = [];
  async function* generate() {
    for (const page of pages) yield await Promise.resolve(page);
  }
  for await (const piece of writeResults(generate())) pieces.push(piece);
  return pieces.join('');
}

/** The reference as the file has it. */
async function written(reference: string): Promise<string> {
  const csv = await write([aRow(1, { reference })]);
  return csv.slice(HEADER.length + '1,'.length, -`${','.repeat(19)}\r\n`.length);
}

describe(writeResults, () => {
  it('writes a header, then each row in the order of the columns, whatever the order of its fields', async () => {
    const at = '2026-11-21T10:15:30.120Z';
    const whole: ExportedRow = {
      finished_at: at,
      created_at: at,
      expires_at: at,
      has_file: true,
      id: 'x',
      total_ms: 187,
      queue_ms: 3,
      title: 'Example',
      sha256: 'ab12',
      bytes: 18_231,
      height: 800,
      width: 1_280,
      format: 'png',
      attempts: 1,
      error_message: 'no',
      error_code: 'internal',
      http_status: 200,
      status: 'succeeded',
      final_url: 'https://example.com/b',
      url: 'https://example.com/a',
      reference: 'a',
      row: 7,
    };
    expect(await write([whole])).toBe(
      `${HEADER}7,a,https://example.com/a,https://example.com/b,succeeded,200,internal,no,1,png,1280,800,18231,ab12,` +
        'Example,3,187,/v1/captures/x/result,2026-11-21T10:15:30.120Z,2026-11-21T10:15:30.120Z,2026-11-21T10:15:30.120Z\r\n',
    );
  });

  it('leaves a cell without a value empty, and writes a zero', async () => {
    expect(await write([aRow(1, { bytes: 0 })])).toBe(`${HEADER}1,,,,,,,,,,,,0,,,,,,,,\r\n`);
  });

  it('writes the header once for many pages, also empty ones', async () => {
    const lines = `1${','.repeat(20)}\r\n2${','.repeat(20)}\r\n`;
    expect(await write([aRow(1)], [], [aRow(2)], [])).toBe(HEADER + lines);
  });

  it('writes the header for a batch without rows', async () => {
    expect(await write([])).toBe(HEADER);
  });

  it.each([
    ['a,b', '"a,b"'],
    ['say "so"', '"say ""so"""'],
    ['two\nlines', '"two\nlines"'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['a\rb', '"a\rb"'],
    ['ü 網 😀', 'ü 網 😀'],
    [' kept ', ' kept '],
  ])('writes %j as %j', async (reference, cell) => {
    expect(await written(reference)).toBe(cell);
  });

  it.each([
    ["=cmd|'/c calc'!A1", "'=cmd|'/c calc'!A1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', `"'\r=1"`],
    ['=1,2', `"'=1,2"`],
    ['="a"', `"'=""a"""`],
    ['\uff1d1', "'\uff1d1"],
  ])('neutralises %j, which a spreadsheet might run, as %j', async (reference, cell) => {
    expect(await written(reference)).toBe(cell);
  });

  it.each(['a=1', "'=1", 'x-1', '1+1', 'me@example.com'])('leaves %j as it is', async (reference) => {
    expect(await written(reference)).toBe(reference);
  });
});
