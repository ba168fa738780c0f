import type { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, Clock, ManualClock } from '@app/kernel';
import { MemoryStorage } from '@app/storage';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, statusAndCode, type Client, type Json } from '../../../../test/support/client.js';
import { eventually } from '../../../../test/support/eventually.js';
import { FaultProxy } from '../../../../test/support/fault-proxy.js';

type Owner = Client & { readonly accountId: string };

/** Far more than the database and the store may take. */
const BOUND_MS = 30_000;

const HOUR_MS = 3_600_000;

/** A store that takes its time: reads wait until the test lets them go or makes them fail. */
class SlowStorage extends MemoryStorage {
  private gate = Promise.withResolvers<undefined>();
  reads = 0;

  constructor(private readonly store: MemoryStorage) {
    super();
    this.serve();
  }

  hold(): void {
    this.gate = Promise.withResolvers();
    // Also when no read waits.
    this.gate.promise.catch(() => undefined);
    this.reads = 0;
  }

  serve(): void {
    this.gate.resolve(undefined);
  }

  fail(): void {
    this.gate.reject(new AppError('storage_unavailable'));
  }

  override async read(...args: Parameters<MemoryStorage['read']>): Promise<Readable> {
    this.reads++;
    await this.gate.promise;
    return this.store.read(...args);
  }

  override put(...args: Parameters<MemoryStorage['put']>): Promise<void> {
    return this.store.put(...args);
  }

  override delete(...args: Parameters<MemoryStorage['delete']>): Promise<void> {
    return this.store.delete(...args);
  }
}

describe('the cache, when something fails,', () => {
  let api: TestApi;
  let client: Owner;
  let pages = 0;
  let page: Json;

  beforeAll(async () => {
    api = await startApi();
  });

  afterAll(() => api.close());

  beforeEach(async () => {
    client = await api.client();
    page = { url: `https://example.com/faults/${++pages}`, cache_ttl_s: 60 };
  });

  const cacheOf = ({ headers }: Response): string | null => headers.get('x-cache');

  /** Makes a capture that the cache keeps; returns its id. */
  async function keep(
    options: Json = page,
    bytes = Buffer.from('first'),
    by: Client = client,
  ): Promise<string> {
    const answer = by.capture(options);
    const { id, succeed } = await api.claim(client);
    await succeed(bytes);
    const response = await answer;
    expect([response.status, cacheOf(response)]).toEqual([200, 'MISS']);
    await response.arrayBuffer();
    return id;
  }

  describe('such as PostgreSQL,', () => {
    let proxy: FaultProxy;
    let frail: TestApi;

    beforeAll(async () => {
      proxy = await FaultProxy.before(api.database.url);
      frail = await startApi({ DATABASE_URL: proxy.proxied(api.database.url) }, api);
    });

    afterAll(async () => {
      await proxy.set('pass');
      await frail.close();
      await proxy.close();
    });

    it('answers for some seconds, then says so, and recovers', async () => {
      const onFrail = client.forApps(frail);
      await keep(page, undefined, onFrail);
      await proxy.set('refuse');
      const seen = new Set<string>();
      const ask = async (options: Json): Promise<string> => {
        const response = await onFrail.capture(options, { signal: AbortSignal.timeout(BOUND_MS) });
        const { code = 'hit' } = response.status === 200 ? {} : await json(response.clone());
        const waits = Number(response.headers.get('retry-after')) > 0;
        const what = `${response.status} ${cacheOf(response)} ${String(code)} ${waits}`;
        seen.add(what);
        return what;
      };
      const askAll = () => Promise.all([page, { ...page, response: 'json' }, page].map(ask));
      const fail = (answers: readonly string[]) => answers.every((what) => what.startsWith('503'));
      await eventually('the outage shows', async () => fail(await askAll()));
      expect([...seen].sort()).toEqual(['200 HIT hit false', '503 null unavailable true']);
      // They end together, however many they are.
      expect(fail(await Promise.all(Array.from({ length: 50 }, () => ask(page))))).toBe(true);
      await proxy.set('pass');
      await eventually('it answers again', async () => (await ask(page)).startsWith('200 HIT'));
    });
  });

  describe('such as the store,', () => {
    let store: SlowStorage;
    let slow: TestApi;

    beforeAll(async () => {
      store = new SlowStorage(api.storage);
      slow = await startApi({}, { database: api.database, storage: store });
    });

    afterAll(() => slow.close());

    afterEach(() => {
      store.serve();
    });

    it('reads a small file once for all who ask for it, and answers from memory then', async () => {
      const id = await keep();
      store.hold();
      const answers = Array.from({ length: 100 }, () => client.forApps(slow).capture(page));
      await eventually('the file is read', () => store.reads > 0);
      store.serve();
      for (const answer of await Promise.all(answers)) {
        expect([answer.status, cacheOf(answer), await answer.text()]).toEqual([200, 'HIT', 'first']);
      }
      expect(store.reads).toBe(1);
      store.hold();
      const later = await client.forApps(slow).capture(page);
      expect([later.headers.get('x-capture-id'), await later.text()]).toEqual([id, 'first']);
      expect(store.reads).toBe(0);
    });

    it.each([
      ['a small file', 'first'],
      ['a large file', 'x'.repeat(2 * 1024 * 1024)],
    ])('keeps what it cannot read now: %s', async (_, text) => {
      const id = await keep(page, Buffer.from(text));
      store.hold();
      const answers = Array.from({ length: 10 }, () => client.forApps(slow).capture(page));
      await eventually('the file is read', () => store.reads > 0);
      store.fail();
      for (const answer of answers) expect(await statusAndCode(answer)).toEqual([503, 'storage_unavailable']);
      store.hold();
      store.serve();
      const hit = await client.forApps(slow).capture(page);
      expect([cacheOf(hit), hit.headers.get('x-capture-id'), await hit.text()]).toEqual(['HIT', id, text]);
      expect(await json(client.get('/v1/usage'))).toMatchObject({ used: 1 });
    });
  });

  describe('such as a file that the store has lost,', () => {
    let cold: TestApi;

    beforeAll(async () => {
      cold = await startApi({}, api);
    });

    afterAll(() => cold.close());

    const lose = (id: string): Promise<void> => api.storage.delete(`captures/${id}/1.png`);
    const entryOf = async () => {
      const { rows } = await api.database.query<{ capture_id: string | null }>(
        `SELECT capture_id FROM cache_entries WHERE account_id = $1`,
        [client.accountId],
      );
      return rows.map(({ capture_id: id }) => id);
    };

    it.each<[string, Json]>([
      ['the file', {}],
      ['all files', { response: 'zip' }],
    ])('makes a new capture for a caller who wants %s, and keeps that', async (_, wanted) => {
      const lost = await keep();
      await lose(lost);
      const answers = Array.from({ length: 5 }, () => client.forApps(cold).capture({ ...page, ...wanted }));
      const { id, succeed } = await api.claim(client);
      await succeed(Buffer.from('second'));
      const responses = await Promise.all(answers);
      expect(responses.map(({ status, headers }) => [status, headers.get('x-capture-id')])).toEqual(
        responses.map(() => [200, id]),
      );
      expect(responses.map(cacheOf).filter((cache) => cache === 'MISS')).toHaveLength(1);
      expect(await entryOf()).toEqual([id]);
      expect(await json(client.get('/v1/usage'))).toMatchObject({ used: 2 });
    });

    it('makes a new capture under an Idempotency-Key, which stands for it', async () => {
      await lose(await keep());
      const headers = { 'idempotency-key': 'lost' };
      const answer = client.forApps(cold).capture(page, { headers });
      const { id, succeed } = await api.claim(client);
      await succeed(Buffer.from('second'));
      const replay = async () => {
        const response = await client.forApps(cold).capture(page, { headers });
        return [response.status, response.headers.get('x-capture-id'), await response.text()];
      };
      expect([(await answer).status, cacheOf(await answer)]).toEqual([200, 'MISS']);
      expect(await replay()).toEqual([200, id, 'second']);
    });

    it.each(['/v1/captures/:id/result', '/v1/captures/:id/files/result', '/v1/captures/:id/files.zip'])(
      'forgets it when GET %s finds it gone',
      async (path) => {
        const id = await keep();
        await lose(id);
        expect(await statusAndCode(client.forApps(cold).get(path.replace(':id', id)))).toEqual([
          410,
          'result_expired',
        ]);
        expect(await entryOf()).toEqual([null]);
        const answer = client.forApps(cold).capture(page);
        await (await api.claim(client)).succeed(Buffer.from('second'));
        expect([cacheOf(await answer), await (await answer).text()]).toEqual(['MISS', 'second']);
      },
    );

    it('forgets it when a job finds it gone that the cache had answered', async () => {
      const id = await keep();
      await lose(id);
      const hit = await json(client.forApps(cold).submit(page));
      expect(hit).toMatchObject({ status: 'succeeded', billable: false, cache: { status: 'hit' } });
      expect(hit.id).not.toBe(id);
      const result = client.forApps(cold).get(`/v1/jobs/${String(hit.id)}/result`);
      expect(await statusAndCode(result)).toEqual([410, 'result_expired']);
      expect(await entryOf()).toEqual([null]);
      const next = await json(client.forApps(cold).submit(page));
      expect(next).toMatchObject({ status: 'queued', cache: { status: null } });
      await (await api.claim(client)).succeed(Buffer.from('second'));
      const made = await client.forApps(cold).get(`/v1/jobs/${String(next.id)}/result`);
      expect([made.status, await made.text()]).toEqual([200, 'second']);
    });
  });

  it.each([
    ['an hour ahead', HOUR_MS],
    ['an hour behind', -HOUR_MS],
  ])('computes ages by the database although the clock of the API is %s', async (_, offMs) => {
    const wrong = await startApi({}, api, [[Clock, new ManualClock(new Date(Date.now() + offMs))]]);
    try {
      const onWrong = client.forApps(wrong);
      await keep({ ...page, cache_ttl_s: 1_000 }, undefined, onWrong);
      await api.database.query(
        `UPDATE cache_entries SET captured_at = captured_at - interval '100 s' WHERE account_id = $1`,
        [client.accountId],
      );
      // This process has not read it yet, and that one knows it as it was.
      const ages = async (by: Client) => {
        const hit = await by.capture({ ...page, cache_ttl_s: 1_000 });
        return [cacheOf(hit), Math.floor(Number(hit.headers.get('age')) / 10)];
      };
      expect(await ages(client)).toEqual(['HIT', 10]);
      expect(await ages(onWrong)).toEqual(['HIT', 0]);
      await eventually('it is read again', async () => (await ages(onWrong))[1] === 10);
      const young = onWrong.capture({ ...page, cache_ttl_s: 50 });
      await (await api.claim(client)).succeed(Buffer.from('second'));
      expect(cacheOf(await young)).toBe('MISS');
    } finally {
      await wrong.close();
    }
  });
});
