import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { startApp, type AppProcess } from '../support/app-process.js';
import { startApps, type Apps } from '../support/apps.js';
import { BACKENDS } from '../support/backends.js';
import { Client } from '../support/client.js';
import { freePort } from '../support/free-port.js';

describe.each(BACKENDS)('the rate of an account over two API processes, on %s', (_, settings) => {
  let apps: Apps;
  let second: AppProcess;
  let database: pg.Client;
  let clients: readonly Client[];

  beforeAll(async () => {
    apps = await startApps(settings());
    const port = await freePort();
    second = startApp({ name: 'api', port, env: { ...apps.env, PORT: String(port) } });
    await second.ready();
    database = new pg.Client({ connectionString: apps.databaseUrl });
    await database.connect();
    clients = [new Client(apps), new Client({ url: second.url, key: apps.key })];
  });

  afterAll(async () => {
    await database.end();
    await second.stop();
    await apps.stop();
  });

  it('lets the burst of 200 requests at once through, and not one more', async () => {
    await database.query(`UPDATE accounts SET rate = 1, burst = 120`);
    const answers = await Promise.all(
      Array.from({ length: 100 }).flatMap(() => clients.map((client) => client.get('/v1/usage'))),
    );
    const passed = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect([passed.length, refused.length]).toEqual([120, 80]);
    const left = passed.map(({ headers }) => Number(/;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1]));
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 120 }, (_, i) => i));
    for (const { headers } of refused) {
      expect(headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  it('is enforced by either process alone as by both', async () => {
    for (const client of clients) expect((await client.get('/v1/usage')).status).toBe(429);
  });
});
