import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Fault } from '@app/kernel';
import { startApi, type TestApi } from '../support/api.js';
import { json, type Client, type Json } from '../support/client.js';
import { NO_TRACES, readProblem, SECRET, tracesIn } from './refusal.js';

const url = 'https://www.example.com/';
const cached = { cache_ttl_s: 60 };
const MAX_TTL_S = 2_592_000;

/** Options that are refused, and the `name code` of each fault. */
type Row = readonly [Json, ...string[]];

const outOfRange = (name: string, rest: Json = {}): Row[] =>
  [-1, MAX_TTL_S + 1, 1e12].map((value) => [{ ...rest, [name]: value }, `${name} out_of_range`]);
const wrongType = (name: string, values: readonly unknown[], rest: Json = {}): Row[] =>
  values.map((value) => [{ ...rest, [name]: value }, `${name} wrong_type`]);

/** Refused whatever the route is. */
const ROWS: readonly Row[] = [
  ...outOfRange('cache_ttl_s'),
  ...outOfRange('stale_ttl_s', cached),
  [{ cache_ttl_s: 0.5 }, 'cache_ttl_s wrong_type'],
  [{ ...cached, stale_ttl_s: 0.5 }, 'stale_ttl_s wrong_type'],
  [{ ...cached, cache_key: 'k'.repeat(201) }, 'cache_key wrong_length'],
  [{ ...cached, cache_key: 'a\0b' }, 'cache_key invalid_characters'],
  [{ stale_ttl_s: 1 }, 'stale_ttl_s conflict'],
  [{ cache_key: 'v1' }, 'cache_key conflict'],
  [{ force: true }, 'force conflict'],
  [
    { cache_ttl_s: 0, stale_ttl_s: 1, cache_key: 'v1', force: true },
    ...['stale_ttl_s', 'cache_key', 'force'].map((name) => `${name} conflict`),
  ],
  [{ ...cached, headers: { 'X-Preview': SECRET } }, 'cache_ttl_s conflict'],
  [{ ...cached, cookies: [{ name: 'session', value: SECRET }] }, 'cache_ttl_s conflict'],
  [{ ...cached, basic_auth_username: 'ada', basic_auth_password: SECRET }, 'cache_ttl_s conflict'],
  [{ ...cached, force: true, headers: { 'X-Preview': SECRET } }, 'cache_ttl_s conflict'],
  [{ ...cached, outputs: [{ name: 'a', cache_ttl_s: 60 }] }, 'outputs unknown_field'],
];

/** Refused in JSON; a cell of a CSV has no type. */
const JSON_ROWS: readonly Row[] = [
  ...wrongType('cache_ttl_s', ['60', true, [60]]),
  ...wrongType('cache_key', [1, ['a'], {}], cached),
  ...wrongType('force', ['true', 1], cached),
];

/** The same faults once each, in order, as `field code`. */
function faultsIn(problem: Json, field: (fault: Fault) => string | undefined): string[] {
  return [...new Set((problem.errors as Fault[]).map((fault) => `${field(fault)} ${fault.code}`))].sort();
}

describe('options of the cache', () => {
  let api: TestApi;
  let client: Client;

  beforeAll(async () => {
    api = await startApi();
    client = await api.client();
  });

  afterAll(() => api.close());

  const csvOf = (rows: readonly Json[]): string => {
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const cell = (value: unknown): string => {
      const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
      return `"${text.replaceAll('"', '""')}"`;
    };
    return [names.join(','), ...rows.map((row) => names.map((name) => cell(row[name])).join(','))].join('\n');
  };
  const sendCsv = (rows: readonly Json[], query = '', by = client): Promise<Response> =>
    by.send('POST', `/v1/bulk/csv${query}`, {
      body: csvOf(rows),
      headers: { 'content-type': 'text/csv' },
    });

  /** The faults of a refusal that left no trace. */
  const refused = async (
    answer: Promise<Response>,
    field: (fault: Fault) => string | undefined,
  ): Promise<string[]> => {
    const response = await answer;
    const problem = await json(response);
    readProblem(problem, response.status, response.headers.get('x-request-id'));
    expect(response.status).toBe(400);
    expect(await tracesIn(api)).toEqual(NO_TRACES);
    return faultsIn(problem, field);
  };

  it.each([...ROWS, ...JSON_ROWS])(
    'that are refused in JSON, with the field: %j',
    async (given, ...faults) => {
      const options = { url, ...given };
      const first = ({ pointer }: Fault) => pointer.split('/')[1];
      expect(await refused(client.capture(options), first)).toEqual(faults.sort());
      expect(await refused(client.submit(options), first)).toEqual(faults.sort());
      const inItem = ({ pointer }: Fault) => pointer.split('/items/0/')[1]?.split('/')[0];
      expect(await refused(client.post('/v1/bulk/json', { items: [options] }), inItem)).toEqual(
        faults.sort(),
      );
    },
  );

  it.each(ROWS)('that are refused in a CSV, with the column: %j', async (given, ...faults) => {
    const inRow = ({ row, column }: Fault) => (row === 2 ? column : `row ${row}`);
    expect(await refused(sendCsv([{ url }, { url, ...given }]), inRow)).toEqual(faults.sort());
  });

  it('that are refused name the secret that stands in their way, and never show it', async () => {
    const options = {
      url,
      ...cached,
      headers: { 'X-Preview': SECRET },
      cookies: [{ name: 'a', value: SECRET }],
    };
    const { errors } = await json(client.capture(options));
    expect(errors).toEqual(
      ['headers', 'cookies'].map((name) => ({
        pointer: '/cache_ttl_s',
        code: 'conflict',
        detail: `must not be combined with ${name}: what a page shows to one visitor is not kept for others`,
      })),
    );
  });

  it('are checked in each row with the defaults of its batch, which a row can unset', async () => {
    const headers = { 'X-Preview': 'yes' };
    const problem = await json(
      client.post('/v1/bulk/json', { defaults: cached, items: [{ url }, { url, headers }] }),
    );
    expect(faultsIn(problem, ({ pointer }) => pointer)).toEqual(['/items/1/cache_ttl_s conflict']);
    const owner = await api.client();
    const items = [{ url }, { url, headers, cache_ttl_s: null }, { url, headers, cache_ttl_s: 0 }];
    const accepted = await owner.post('/v1/bulk/json?dry_run=true', { defaults: cached, items });
    expect([accepted.status, (await json(accepted)).errors ?? []]).toEqual([200, []]);
    const query = '?cache_ttl_s=60&dry_run=true';
    const csv = await json(sendCsv([{ url }, { url, headers }], query, owner));
    expect(faultsIn(csv, ({ row, column }) => `${row} ${column}`)).toEqual(['2 cache_ttl_s conflict']);
  });

  it('that are off are no fault', async () => {
    const owner = await api.client();
    const off = { cache_ttl_s: 0, stale_ttl_s: 0, force: false, headers: { 'X-Preview': 'yes' } };
    const items = [
      { url, ...off },
      { url, ...cached, headers: {}, cookies: [] },
      { html: '<p>', ...cached },
    ];
    const accepted = await owner.post('/v1/bulk/json?dry_run=true', { items });
    expect([accepted.status, (await json(accepted)).errors ?? []]).toEqual([200, []]);
  });
});
