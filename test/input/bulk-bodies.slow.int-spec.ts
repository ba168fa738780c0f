import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { MAX_BYTES } from '@app/bulk';
import { startApi, type TestApi } from '../support/api.js';
import type { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { seededRandom } from '../support/seeded-random.js';
import { hangUp, openSocket, readAnswer } from '../support/raw-http.js';
import { NO_TRACES, refusalOf, tracesIn } from './refusal.js';

const SEED = 20_261_121;
const FUZZED = 400;
const PAGE = 'https://example.com/';
const MB = 1_048_576;

/** The body of a batch is long and read as a stream, unlike that of a single capture. */
describe('the body of a batch', () => {
  let api: TestApi;
  let client: Client & { readonly accountId: string };
  let key: string;
  let atRest: number;

  beforeAll(async () => {
    api = await startApi();
    client = await api.client({ allowance: 1_000_000 });
    key = (client as unknown as { key: string }).key;
    atRest = await filesOpen();
  });

  afterAll(async () => {
    await api.close();
  });

  /** Number of open spool files, which have no name. */
  const filesOpen = async (): Promise<number> => {
    const open = await readdir('/proc/self/fd');
    const links = await Promise.all(open.map((each) => readlink(`/proc/self/fd/${each}`).catch(() => '')));
    return links.filter((link) => link.startsWith(tmpdir()) && link.endsWith(' (deleted)')).length;
  };

  const head = (more: string, route = 'csv', type = 'text/csv'): string =>
    `POST /v1/bulk/${route} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: ${type}\r\n${more}\r\n\r\n`;

  const chunkOf = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

  /** Sends a head and the pieces of a body; returns the statuses and the code of the problem. */
  const refusalOfPieces = async (start: string, pieces: readonly string[]): Promise<string> => {
    const socket = await openSocket(api.url);
    socket.write(start);
    for (const piece of pieces) socket.write(piece);
    const { statuses, body } = await readAnswer(socket);
    return `${statuses.join()} ${(JSON.parse(body) as { code: string }).code}`;
  };

  describe('is refused, and leaves no trace,', () => {
    afterEach(async () => {
      hangUp();
      expect(await tracesIn(api)).toEqual(NO_TRACES);
      expect((await client.get('/livez')).status).toBe(200);
      // The service closes a refused connection after its response; otherwise the next test would count it.
      await eventually('nothing is set aside', async () => (await filesOpen()) === atRest);
    });

    it.each(['csv', 'json'])('at once when its Content-Length is 100 MB: %s', async (route) => {
      const start = head(
        `Content-Length: ${100 * MB}`,
        route,
        route === 'csv' ? 'text/csv' : 'application/json',
      );
      expect(await refusalOfPieces(start, ['url'])).toBe('413 payload_too_large');
    });

    it('in a form at once when its Content-Length is 100 MB', async () => {
      const start = head(`Content-Length: ${100 * MB}`, 'csv', 'multipart/form-data; boundary=b');
      expect(await refusalOfPieces(start, ['--b'])).toBe('413 payload_too_large');
    });

    it.each([
      ['that never ends', 'a'.repeat(65_537)],
      ['in quotes that never ends', `"${'\n'.repeat(65_536)}`],
    ])('once its first line exceeds the limit: one %s', async (_, line) => {
      expect(await refusalOfPieces(head('Transfer-Encoding: chunked'), [chunkOf(line)])).toBe(
        '400 invalid_csv',
      );
    });

    it('once another line exceeds the limit', async () => {
      const line = chunkOf(`${'a'.repeat(65_536)}`);
      const pieces = [chunkOf('url\n'), ...Array<string>(65).fill(line)];
      expect(await refusalOfPieces(head('Transfer-Encoding: chunked'), pieces)).toBe('400 invalid_csv');
    });

    it('once it exceeds 10 MB without a Content-Length', async () => {
      const row = `,${'<p>'.repeat(10_000)}\n`;
      const rows = Math.ceil(MAX_BYTES / row.length);
      const pieces = [chunkOf('url,html\n'), ...Array<string>(rows).fill(chunkOf(row))];
      expect(await refusalOfPieces(head('Transfer-Encoding: chunked'), pieces)).toBe('413 payload_too_large');
    });

    it('without being read to its end, in little memory, however long its only line is', async () => {
      const socket = await openSocket(api.url);
      const before = memory();
      let peak = before;
      socket.resume().write(head('Transfer-Encoding: chunked'));
      const piece = chunkOf('a'.repeat(65_536));
      for (let i = 0; i < 1_600 && (await taken(socket, piece)); i++) peak = Math.max(peak, memory());
      // The service cuts the connection long before the end.
      expect(socket.bytesWritten).toBeLessThan(50 * MB);
      expect(peak - before).toBeLessThan(100 * MB);
    });

    it.each([
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
    ])('when it exceeds 10 MB once decoded from %s', async (encoding, compress) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
      const body = new Uint8Array(compress(Buffer.alloc(MAX_BYTES + 1, ' ')));
      expect(body.length).toBeLessThan(MB);
      expect(await refusalOf(client.send('POST', '/v1/bulk/json', { body, headers }))).toBe(
        '413 payload_too_large',
      );
    });

    it('when it is a CSV that exceeds 10 MB once decoded from gzip', async () => {
      const headers = { 'content-type': 'text/csv', 'content-encoding': 'gzip' };
      const body = new Uint8Array(gzipSync(`url,html\n${`,${'<p>'.repeat(10_000)}\n`.repeat(400)}`));
      expect(await refusalOf(client.send('POST', '/v1/bulk/csv', { body, headers }))).toBe(
        '413 payload_too_large',
      );
    });

    it('without being read when the key is not valid', async () => {
      const start = head(`Content-Length: ${MB}\r\nConnection: close`).replace(key, 'cap_none');
      expect(await refusalOfPieces(start, [])).toBe('401 unauthorized');
    });

    it.each([
      ['a CSV', 'csv', 'text/csv', `url\n${`${PAGE}\n`.repeat(5_000)}`],
      ['a CSV in a quote', 'csv', 'text/csv', `url\n${`${PAGE}\n`.repeat(5_000)}"`],
      [
        'a form',
        'csv',
        'multipart/form-data; boundary=b',
        `--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nurl\n${`${PAGE}\n`.repeat(5_000)}`,
      ],
      ['JSON', 'json', 'application/json', `{"items":[${`{"url":"${PAGE}"},`.repeat(5_000)}`],
    ])('when its sender breaks off: %s', async (_, route, type, begun) => {
      const asked = once(api.app.getHttpServer(), 'request') as Promise<[unknown, ServerResponse]>;
      const socket = await openSocket(api.url);
      socket.write(`${head('Content-Length: 1000000', route, type)}${begun}`);
      const [, answer] = await asked;
      if (route === 'csv') await eventually('rows are set aside', async () => (await filesOpen()) > atRest);
      socket.destroy();
      await eventually('the end was noticed', () => answer.destroyed);
    });
  });

  it('may have 10 MB, and is read in little memory while other requests are served', async () => {
    const row = `,"${'<p>'.repeat(600)}"\n`;
    const csv = `url,html\n${row.repeat(Math.floor((MAX_BYTES - 10) / row.length))}`;
    expect(csv.length).toBeGreaterThan(MAX_BYTES - 2 * row.length);
    const before = memory();
    let peak = before;
    let others = 0;
    let over = false;
    const headers = { 'content-type': 'text/csv' };
    const answer = client
      .send('POST', '/v1/bulk/csv?dry_run=true', { body: csv, headers })
      .finally(() => (over = true));
    while (!over) {
      await (await client.get('/livez')).arrayBuffer();
      peak = Math.max(peak, memory());
      others++;
    }
    expect((await answer).status).toBe(200);
    expect(others).toBeGreaterThan(2);
    // The client of the test holds the body too, and uncollected garbage counts.
    expect(peak - before).toBeLessThan(200 * MB);
  });

  it(`is accepted or refused with an error of the catalogue, whatever it contains (seed ${SEED})`, async () => {
    const csv = csvFrom(seededRandom(SEED));
    const outcomes = new Map<string, number>();
    for (let i = 0; i < FUZZED; i++) {
      const body = csv();
      const query = i % 2 === 0 ? '?on_invalid=skip' : '?dry_run=true';
      const headers = { 'content-type': 'text/csv' };
      const answer = await client.send('POST', `/v1/bulk/csv${query}`, {
        body: new Uint8Array(body),
        headers,
      });
      const outcome = answer.ok ? String(answer.status) : (await refusalOf(answer)).split(' ', 2).join(' ');
      if (answer.status >= 500) throw new Error(`${outcome} for ${body.toString('base64')}`);
      if (answer.ok) await answer.arrayBuffer();
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    expect([...outcomes.keys()].sort()).toEqual(['200', '202', '400 invalid_csv', '400 invalid_request']);
    // Without enough of each kind the bodies would not test what they should.
    expect(Math.min(...outcomes.values())).toBeGreaterThan(5);
    const { rows } = await api.database.query<{ wrong: number }>(
      `SELECT count(*)::int AS wrong FROM batches b
        WHERE b.total <> (SELECT count(*) FROM jobs WHERE batch_id = b.id)
           OR b.rejected <> (SELECT count(*) FROM jobs WHERE batch_id = b.id AND error_code = 'invalid_request')`,
    );
    expect(rows).toEqual([{ wrong: 0 }]);
  });
});

function memory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Resolves to whether the other side still accepts data. */
async function taken(socket: Socket, piece: string): Promise<boolean> {
  if (socket.destroyed || socket.readableEnded) return false;
  if (socket.write(piece)) return true;
  await new Promise<void>((resolve) => {
    for (const event of ['drain', 'close', 'end']) socket.once(event, resolve);
  });
  for (const event of ['drain', 'close', 'end']) socket.removeAllListeners(event);
  return !socket.destroyed;
}

const HEADERS = [
  'url',
  'url,format',
  'reference;url',
  'url\tcss',
  'url,headers,cookies',
  'html,base_url',
  'urll',
  'url,url',
];
const CELLS = [
  PAGE,
  PAGE,
  PAGE,
  '',
  'png',
  'exe',
  '"a""b"',
  '"a\r\nb"',
  '"[1,2]"',
  '"{""a"":""b""}"',
  '=1+1',
  'ftp://x/',
  'http://127.0.0.1/',
  '日本',
  '__proto__',
];
const LINE_ENDS = ['\n', '\r\n', '\r'];
const NOISE = ['"', '\0', '\n', '\r', ',', ';', '\t', '\xff', '\ud800', '\ufeff', '\\', "'"];

/** Generates CSVs: most are well-formed, some have bytes inserted, removed or changed. */
function csvFrom(next: () => number): () => Buffer {
  const one = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  return () => {
    const header = one(HEADERS);
    const delimiter = /[,;\t]/.exec(header)?.[0] ?? ',';
    const width = header.split(delimiter).length;
    const line = (): string => Array.from({ length: width }, () => one(CELLS)).join(delimiter);
    const rows = Array.from({ length: Math.floor(next() * 12) }, line);
    let bytes = Buffer.from([header, ...rows].join(one(LINE_ENDS)));
    for (let changes = next() < 0.5 ? 0 : Math.ceil(next() * 4); changes > 0; changes--) {
      const at = Math.floor(next() * bytes.length);
      const cut = Math.floor(next() * 3);
      const noise = Buffer.from(one(NOISE), next() < 0.5 ? 'utf8' : 'latin1');
      bytes = Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at + cut)]);
    }
    return next() < 0.05 ? Buffer.from(bytes.toString(), 'utf16le') : bytes;
  };
}
