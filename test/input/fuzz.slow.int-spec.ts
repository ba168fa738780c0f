import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CaptureOptions } from '@app/capture';
import { AppError, fieldsOf, type FieldSpec } from '@app/kernel';
import { startApi, type TestApi } from '../support/api.js';
import { json, type Client, type Json } from '../support/client.js';
import { seededRandom } from '../support/seeded-random.js';
import { refusalOf } from './refusal.js';

const SEED = 20_261_121;
const BODIES = 750;
const STREAMS = 6;
const PATIENCE_MS = 60_000;

const TEXTS = [
  '',
  'a',
  'p > a',
  'div[',
  '*',
  '\0',
  '\ud800',
  '日本',
  '404',
  '1cm',
  '9-1',
  '../x',
  'a\r\nb',
  'de',
  'UTC',
  '__proto__',
];
const NUMBERS = [0, -0, 1, -1, 0.1, 16, 500, 1_000, 7_680, 1e9, 1e308, 2 ** 53, -(2 ** 31)];
const URLS = [
  'https://example.com/',
  'http://bücher.example:8080/?q=\u{1f600}',
  'http://127.0.0.1/',
  'ftp://x/',
  'http://a..b/',
];

/** Generates options: most with values of the right kind, some with any, some under unknown names. */
function bodiesFrom(next: () => number): () => Json {
  const fields = fieldsOf(CaptureOptions);
  const one = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const several = <T>(make: () => T): T[] => Array.from({ length: Math.floor(next() * 4) }, make);
  const anything = (depth = 0): unknown => {
    const kind = next();
    if (kind < 0.3) return one(TEXTS);
    if (kind < 0.6) return one(NUMBERS);
    if (kind < 0.8 || depth > 4) return one([null, true, false]);
    if (kind < 0.9) return several(() => anything(depth + 1));
    return Object.fromEntries(several(() => [one(TEXTS), anything(depth + 1)]));
  };
  const fitting = ({ kind, schema, example, items }: FieldSpec): unknown => {
    const {
      minimum = 0,
      maximum = 1,
      enum: words,
    } = schema as { minimum?: number; maximum?: number; enum?: string[] };
    if (words) return one(words);
    if (kind === 'flag') return next() < 0.5;
    if (kind === 'whole') return one([minimum, maximum, Math.floor(minimum + next() * (maximum - minimum))]);
    if (kind === 'decimal') return one([minimum, maximum, minimum + next() * (maximum - minimum)]);
    if (items)
      return several(() => Object.fromEntries(fieldsOf(items).map((each) => [each.name, fitting(each)])));
    return example ?? one(TEXTS);
  };
  const entry = (): [string, unknown] => {
    const field = one(fields);
    const kind = next();
    if (kind < 0.04) return [one(TEXTS), anything()];
    return [field.name, kind < 0.25 ? anything() : fitting(field)];
  };
  return () => {
    const body: Json = {
      ...(next() < 0.9 && { url: one(URLS.slice(0, next() < 0.8 ? 2 : 5)) }),
      ...Object.fromEntries(several(entry)),
    };
    // With a short timeout a capture would end as capture_timeout on a busy machine.
    const isShort = Number.isInteger(body.timeout_ms) && Number(body.timeout_ms) >= 1_000;
    return isShort ? { ...body, timeout_ms: Math.max(Number(body.timeout_ms), PATIENCE_MS) } : body;
  };
}

describe('any input', () => {
  let api: TestApi;
  let client: Client;

  beforeAll(async () => {
    api = await startApi();
    client = await api.client({ allowance: 100_000, concurrency: 1_000 });
  });

  afterAll(async () => {
    await api.close();
  });

  /** Ends captures until `over`, every second one in success. */
  const work = async (over: () => boolean): Promise<number> => {
    let done = 0;
    while (!over()) {
      const { succeed, fail } = await api.claim();
      await (done++ % 2 === 0 ? succeed() : fail(new AppError('target_dns_error', { phase: 'navigate' })));
    }
    return done;
  };

  it(`gets a capture or an error of the catalogue (seed ${SEED})`, async () => {
    const body = bodiesFrom(seededRandom(SEED));
    let left = BODIES;
    const outcomes = new Map<string, number>();
    const send = async (): Promise<void> => {
      while (left-- > 0) {
        const options = body();
        const response = await client.capture(options);
        const outcome = response.ok ? '200' : (await refusalOf(response)).split(' ', 2).join(' ');
        if (response.status >= 500) throw new Error(`${outcome} for ${JSON.stringify(options)}`);
        if (response.ok) await response.arrayBuffer();
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    };
    let over = false;
    const worker = work(() => over);
    await Promise.all(Array.from({ length: STREAMS }, send));
    over = true;
    await client.capture({ url: 'https://example.com/', response: 'json' });
    // One more capture ends the worker of the test.
    expect(await worker).toBe((outcomes.get('200') ?? 0) + (outcomes.get('422 target_dns_error') ?? 0) + 1);
    expect([...outcomes.keys()].sort()).toEqual([
      '200',
      '400 invalid_request',
      '403 target_forbidden',
      '422 target_dns_error',
    ]);
    // Without enough of each kind the bodies would not test what they should.
    expect(Math.min(...outcomes.values())).toBeGreaterThan(3);
    let cursor = '';
    do {
      const page = await json(client.get(`/v1/captures?limit=100${cursor}`));
      expect(Array.isArray(page.items)).toBe(true);
      cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor as string}`;
    } while (cursor !== '');
  }, 120_000);

  it('in a query gets a list or an error of the catalogue', async () => {
    const next = seededRandom(SEED);
    const one = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
    const names = [
      'limit',
      'cursor',
      'status',
      'source',
      'format',
      'host',
      'reference',
      'batch_id',
      'created_after',
      'created_before',
      'from',
      'to',
      'bucket',
      'x',
    ];
    const digits = (count: number): string => String(Math.floor(next() * 10 ** count)).padStart(count, '0');
    const time = (): string =>
      `${digits(4)}-${one(['01', '02', '12', '13'])}-${one(['01', '29', '31'])}T${one(['00', '23', '24'])}:00:00${one(['Z', '+15:59', '-23:59', '+24:00', ''])}`;
    const value = (): string =>
      one([...TEXTS, ...NUMBERS.map(String), 'png', 'queued', 'hour', time(), time(), time(), time()]);
    for (let i = 0; i < 600; i++) {
      const query = new URLSearchParams(
        Array.from({ length: 1 + Math.floor(next() * 2) }, () => [one(names), value()]),
      );
      const path = `${one(['/v1/captures', '/v1/captures/stats'])}?${query.toString()}`;
      const response = await client.get(path);
      if (response.ok) expect(await json(response)).toEqual(expect.any(Object));
      else
        expect([path, await refusalOf(response)]).toEqual([
          path,
          expect.stringMatching(/^400 invalid_request /),
        ]);
    }
  });
});
