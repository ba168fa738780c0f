import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { testRedisUrl } from '../../support/backends.js';
import { json, type Client, type Json } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { FaultProxy } from '../../support/fault-proxy.js';
import { S3Server } from '../../support/s3-server.js';
import { faultIn, stopwatch } from '../support/fault.js';
import { s3Store } from '../support/store.js';
import { World } from '../support/world.js';

const QUEUE = testRedisUrl === undefined ? 'PostgreSQL' : 'Redis';

/** Longer than any answer may take. */
const BOUND_MS = 40_000;

/** A page whose picture is too large for the memory of an API. */
const NOISE = `<body style="margin: 0"><canvas width="1280" height="800"></canvas><script>
  const context = document.querySelector('canvas').getContext('2d');
  const picture = context.createImageData(1280, 800);
  for (let i = 0, seed = 1; i < picture.data.length; i++) {
    seed = (seed * 16807) % 2147483647;
    picture.data[i] = i % 4 === 3 ? 255 : seed & 255;
  }
  context.putImageData(picture, 0, 0);
</script>`;

describe('faults while the cache answers', () => {
  let s3: S3Server;
  let world: World;

  beforeAll(async () => {
    s3 = await S3Server.start();
    world = await World.open({ queue: QUEUE, apis: 2, workers: 1, env: s3.settings, store: s3Store(s3) });
  }, 120_000);

  afterAll(async () => {
    await world.close();
    await s3.close();
  }, 60_000);

  const fault = faultIn(QUEUE, () => world);

  /** Clients of a new account, one at each API: nothing of it is in their memory yet. */
  let accounts = 0;
  const clients = async (): Promise<[Client, Client]> => {
    const key = await world.account(`cached-${++accounts}`);
    const [one, other] = world.apis;
    return [world.clientOf(key, one), world.clientOf(key, other)];
  };

  const cached = (content?: string): Json => ({ url: world.site.page(content), cache_ttl_s: 3_600 });

  /** Makes a capture that the cache keeps; returns its id. */
  const keep = async (client: Client, options: Json): Promise<string> => {
    const response = await client.capture(options);
    expect([response.status, response.headers.get('x-cache')]).toEqual([200, 'MISS']);
    await response.arrayBuffer();
    return response.headers.get('x-capture-id') ?? '';
  };

  /** The answer to a request: `200 HIT`, or the status and the code of the problem, with `*` if it says when to come back. */
  const answerTo = async (client: Client, options: Json): Promise<string> => {
    const response = await client.capture(options, { signal: AbortSignal.timeout(BOUND_MS) });
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.status === 200) return `200 ${response.headers.get('x-cache')}`;
    const { code } = JSON.parse(bytes.toString()) as Json;
    return `${response.status} ${String(code)}${response.headers.has('retry-after') ? '*' : ''}`;
  };

  const atOnce = async (count: number, client: Client, options: Json): Promise<string[]> => {
    const answers = await Promise.all(Array.from({ length: count }, () => answerTo(client, options)));
    return [...new Set(answers)].sort();
  };

  if (QUEUE === 'Redis')
    fault('F50', 'captures of the cache are answered as ever without Redis', async () => {
      const [client, other] = await clients();
      const options = cached();
      await keep(client, options);
      await world.servers.redis?.stop();
      const since = stopwatch();
      let hits = 0;
      // Longer than everything that an API remembers.
      const until = performance.now() + 6_000;
      await eventually('nothing is remembered any more', async () => {
        for (const each of [client, other]) expect(await atOnce(4, each, options)).toEqual(['200 HIT']);
        hits += 8;
        return performance.now() > until;
      });
      await world.servers.redis?.start();
      return `${hits} hits and nothing else in ${since()} without Redis`;
    });

  fault('F51', 'captures of the cache are answered for seconds after the database has crashed', async () => {
    const [client, other] = await clients();
    const options = cached();
    await keep(client, options);
    expect(await answerTo(other, options)).toBe('200 HIT');
    await world.servers.postgres.crash();
    const since = stopwatch();
    const seen = new Set<string>();
    let hits = 0;
    let ended = '';
    await eventually('the outage shows', async () => {
      const answers = await Promise.all([answerTo(client, options), answerTo(other, options)]);
      hits += answers.filter((answer) => answer === '200 HIT').length;
      for (const answer of answers) seen.add(answer);
      ended ||= answers.some((answer) => answer !== '200 HIT') ? since() : '';
      return answers.every((answer) => answer === '503 unavailable*');
    });
    expect([...seen].sort()).toEqual(['200 HIT', '503 unavailable*']);
    const refused = stopwatch();
    expect(await atOnce(100, client, options)).toEqual(['503 unavailable*']);
    const all = refused();
    await world.servers.postgres.start();
    const back = stopwatch();
    for (const each of [client, other]) {
      await eventually('it answers again', async () => (await answerTo(each, options)) === '200 HIT');
    }
    return `${hits} hits in ${ended}, then 503 with Retry-After, 100 of them in ${all}; hits again after ${back()}`;
  });

  fault('F51', 'a silent database ends each request in bounded time, and hits come back', async () => {
    const proxy = await FaultProxy.before(world.servers.postgres.url);
    const frail = await world.start('api', { DATABASE_URL: proxy.proxied(world.servers.postgres.url) });
    try {
      const client = world.clientOf(await world.account(`cached-${++accounts}`), frail);
      const options = cached();
      await keep(client, options);
      proxy.freeze();
      await proxy.set('blackhole');
      const since = stopwatch();
      let slowest = 0;
      await eventually(
        'the outage shows',
        async () => {
          const began = performance.now();
          const answers = await atOnce(10, client, options);
          slowest = Math.max(slowest, performance.now() - began);
          for (const answer of answers) expect(['200 HIT', '503 unavailable*']).toContain(answer);
          return answers.join() === '503 unavailable*';
        },
        2 * BOUND_MS,
      );
      const shown = since();
      await proxy.set('pass');
      const back = stopwatch();
      await eventually('it answers again', async () => (await answerTo(client, options)) === '200 HIT');
      return `503 after ${shown}, no answer later than ${(slowest / 1_000).toFixed(1)} s; hits again after ${back()}`;
    } finally {
      await proxy.set('pass');
      await frail.stop();
      await proxy.close();
    }
  });

  fault('F52', 'a file that the store has lost is a miss, and the new capture takes its place', async () => {
    const [client, other] = await clients();
    const options = cached();
    const lost = await keep(client, options);
    s3.objects.delete(`captures/${lost}/1.png`);
    const since = stopwatch();
    const answers = await Promise.all(Array.from({ length: 20 }, () => answerTo(other, options)));
    const recovered = since();
    expect(answers.filter((answer) => answer === '200 MISS')).toHaveLength(1);
    for (const answer of answers) expect(['200 MISS', '200 COALESCED', '200 HIT']).toContain(answer);
    const [entry] = await world.rows.query<{ capture_id: string }>(
      `SELECT capture_id FROM cache_entries WHERE capture_id <> $1 AND account_id = (SELECT account_id FROM jobs WHERE id = $1)`,
      [lost],
    );
    const idAt = async (each: Client): Promise<string | null> => {
      const response = await each.capture(options);
      expect([response.status, response.headers.get('x-cache')]).toEqual([200, 'HIT']);
      return response.headers.get('x-capture-id');
    };
    await eventually('all answer with the new one', async () => {
      const ids = await Promise.all([idAt(client), idAt(other)]);
      return ids.every((id) => id === entry?.capture_id);
    });
    const all = since();
    expect((await client.get(`/v1/captures/${lost}/result`)).status).toBe(410);
    expect((await client.send('DELETE', `/v1/captures/${lost}`)).ok).toBe(true);
    expect(await json(client.get('/v1/usage'))).toMatchObject({ used: 2 });
    return `20 callers got a new capture in ${recovered}, one visit for all; every API answered with it after ${all}`;
  });

  fault('F53', 'requests do not pile up behind a store that hangs', async () => {
    const [client, other] = await clients();
    const [small, large] = [cached(), cached(NOISE)];
    const id = await keep(client, small);
    await keep(client, large);
    expect(await answerTo(client, small)).toBe('200 HIT');
    const reads = (): number =>
      s3.requests.filter((request) => request === `GET captures/${id}/1.png`).length;
    const before = reads();
    await s3.set('hang');
    const since = stopwatch();
    const crowd = Promise.all([atOnce(200, other, small), atOnce(50, other, large)]);
    await eventually('the store is asked', () => reads() > before);
    // What an API has in memory does not wait for the store.
    for (let i = 0; i < 20; i++) expect(await atOnce(4, client, small)).toEqual(['200 HIT']);
    const [ofSmall, ofLarge] = await crowd;
    const ended = since();
    expect([ofSmall, ofLarge]).toEqual([['503 storage_unavailable*'], ['503 storage_unavailable*']]);
    const asked = reads() - before;
    // All 200 wait for one read, which the client of the store repeats.
    expect(asked).toBeLessThanOrEqual(3);
    await s3.set('serve');
    const back = stopwatch();
    for (const options of [small, large]) expect(await answerTo(other, options)).toBe('200 HIT');
    return `200 requests for a small file were ${asked} reads of the store and all ended after ${ended}; hits again after ${back()}`;
  });
});
