import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AppProcess } from '../support/app-process.js';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json } from '../support/client.js';
import { eventsOf } from '../support/event-source.js';
import { eventually } from '../support/eventually.js';
import { FaultProxy } from '../support/fault-proxy.js';

const PAGE = { url: 'https://example.com/' };

/** Several API processes without a worker, so that accepted jobs stay queued. */
describe('the API', () => {
  let apps: Apps;
  let proxy: FaultProxy;

  beforeAll(async () => {
    apps = await startApps();
    await apps.worker.stop();
    proxy = await FaultProxy.before(apps.database.url);
  }, 120_000);

  afterAll(async () => {
    await proxy.close();
    await apps.stop();
  });

  const another = async (settings: Record<string, string> = {}) => {
    const app = await apps.launch('api', settings);
    await app.ready();
    const client = new Client({ url: app.url, key: apps.key });
    return { app, client, [Symbol.asyncDispose]: () => app.stop() };
  };

  it('creates one job and one charge for 50 identical requests to two processes at once', async () => {
    await using second = await another();
    const clients = [new Client(apps), second.client];
    const before = Number((await json(clients[0]?.get('/v1/usage') ?? fail())).used);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        (clients[i % 2] ?? fail()).submit(PAGE, { 'idempotency-key': 'fifty requests' }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    expect(new Set(bodies).size).toBe(1);
    expect(new Set(answers.map(({ headers }) => headers.get('location'))).size).toBe(1);
    const replays = answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true');
    expect(replays).toHaveLength(49);
    const { id } = JSON.parse(bodies[0] ?? '') as { id: string };
    const { rows } = await apps.database.query(`SELECT id FROM jobs`);
    expect(rows).toEqual([{ id }]);
    expect((await json(second.client.get('/v1/usage'))).used).toBe(before + 1);
  });

  describe('that receives SIGTERM', () => {
    it('serves requests until the balancer has noticed, finishes them, and cuts no connection', async () => {
      const { app, client } = await another({ SHUTDOWN_DELAY_MS: '2000', SHUTDOWN_GRACE_MS: '20000' });
      const { id } = (await json(client.submit(PAGE))) as { id: string };
      const events = eventsOf(await client.get(`/v1/jobs/${id}/events`));
      await events.next();
      const waiting = client.get(`/v1/jobs/${id}?wait=30`);
      const balancer = new Balancer(app, apps.key);
      const load = Promise.all(Array.from({ length: 8 }, () => balancer.send()));
      await eventually('there is load', () => balancer.answered > 50);
      app.kill('SIGTERM');
      await load;
      expect(balancer.faults).toEqual([]);
      expect(balancer.answeredAfterTerm).toBe(8);
      expect(balancer.closedByHeader).toBeGreaterThan(0);
      // A long poll is answered with the current state and a stream ends, so that clients can resume elsewhere.
      expect(await json(waiting)).toMatchObject({ id, status: 'queued' });
      expect((await events.next()).done).toBe(true);
      expect(await app.ended()).toBe(0);
    }, 60_000);

    it('gives a running capture its grace period, then cancels it and frees its key', async () => {
      const { app, client } = await another({ SHUTDOWN_GRACE_MS: '1000' });
      const headers = { 'idempotency-key': 'cut off' };
      const cut = client.capture(PAGE, { headers }).then(
        () => 'answered',
        () => 'cut',
      );
      await eventually('the capture is there', async () => {
        const { rows } = await apps.database.query(
          `SELECT id FROM jobs WHERE source = 'sync' AND status = 'queued'`,
        );
        return rows.length === 1;
      });
      app.kill('SIGTERM');
      expect([await cut, await app.ended()]).toEqual(['cut', 0]);
      const { rows } = await apps.database.query(
        `SELECT status, cancel_reason FROM jobs WHERE source = 'sync'`,
      );
      expect(rows).toEqual([{ status: 'canceled', cancel_reason: 'client_disconnected' }]);
      const keys = await apps.database.query(`SELECT key FROM idempotency_keys WHERE key = 'cut off'`);
      expect(keys.rows).toEqual([]);
    }, 60_000);
  });

  describe('whose database is down', () => {
    it.each(['refuse', 'blackhole'] as const)(
      'answers 503 and recovers by itself: %s',
      async (mode) => {
        await using behind = await another({ DATABASE_URL: proxy.proxied(apps.database.url) });
        const { client } = behind;
        const { id } = (await json(client.submit(PAGE))) as { id: string };
        const events = eventsOf(await client.get(`/v1/jobs/${id}/events`));
        await events.next();
        const waiting = client.get(`/v1/jobs/${id}?wait=2`);
        await proxy.set(mode);
        const answers = await Promise.all([
          waiting,
          client.get(`/v1/jobs/${id}`),
          client.get(`/v1/jobs/${id}/events`),
          client.submit(PAGE, { 'idempotency-key': mode }),
          client.send('DELETE', `/v1/jobs/${id}`),
        ]);
        for (const answer of answers) {
          expect([answer.status, (await json(answer)).code]).toEqual([503, 'unavailable']);
          expect(answer.headers.get('retry-after')).toBe('5');
        }
        await proxy.set('pass');
        await eventually('it answers again', async () => (await client.get(`/v1/jobs/${id}`)).status === 200);
        // The stream has survived the outage.
        await client.send('DELETE', `/v1/jobs/${id}`);
        for (let event = await events.next(); !event.done; event = await events.next()) {
          if (event.value.data.status === 'canceled') return;
        }
        fail();
      },
      60_000,
    );
  });
});

function fail(): never {
  throw new Error('This is not reached');
}

/**
 * Sends one request after the other on kept-alive connections and checks the readiness before each. Like a load balancer
 * that is slow to notice, it sends one more request to a process that is no longer ready.
 */
class Balancer {
  answered = 0;
  answeredAfterTerm = 0;
  closedByHeader = 0;
  readonly faults: string[] = [];
  private readonly agent = new http.Agent({ keepAlive: true });

  constructor(
    private readonly app: AppProcess,
    private readonly key: string,
  ) {}

  async send(): Promise<void> {
    for (let isReady = true; isReady;) {
      isReady = (await this.get('/readyz')) === 200;
      const status = await this.get('/v1/usage');
      if (status !== 200) this.faults.push(`/v1/usage: ${status}`);
      if (!isReady) this.answeredAfterTerm++;
    }
  }

  private get(path: string): Promise<number | string> {
    return new Promise((resolve) => {
      const request = http.get(
        new URL(path, this.app.url),
        { agent: this.agent, headers: { 'x-api-key': this.key } },
        (response) => {
          this.answered++;
          if (response.headers.connection === 'close') this.closedByHeader++;
          response.resume().once('end', () => {
            resolve(response.statusCode ?? 0);
          });
        },
      );
      request.once('error', ({ message }) => {
        this.faults.push(`${path}: ${message}`);
        resolve(message);
      });
    });
  }
}
