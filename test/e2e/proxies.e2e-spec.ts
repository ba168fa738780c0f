import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { FaultSite } from '../faults/support/fault-site.js';
import { findProxy, startCaddy, startNginx, type ReverseProxy } from '../support/reverse-proxies.js';

const MEGABYTE = 1_048_576;
/** Wrong keys of one address in a minute, before the answer is 429. */
const MAX_FAILURES = 3;

const nginx = await findProxy('nginx');
const caddy = await findProxy('caddy');
const PROXIES = [
  ['nginx', nginx, startNginx],
  ['Caddy', caddy, startCaddy],
] as const;

const digestOf = (bytes: ArrayBuffer) => createHash('sha256').update(Buffer.from(bytes)).digest('hex');

let site: FaultSite;
let apps: Apps;
let client: Client;

beforeAll(async () => {
  site = await FaultSite.open();
  apps = await startApps({
    EGRESS_ALLOW: `127.0.0.1:${site.port}`,
    TRUSTED_PROXIES: '1',
    AUTH_FAILURES_PER_MINUTE: String(MAX_FAILURES),
  });
  client = new Client(apps);
}, 120_000);

afterAll(async () => {
  await apps.stop();
  await site.close();
}, 60_000);

let largeFile: Promise<string> | undefined;

/** Captures data that its page carries but does not show, so that the browser has nothing to lay out; returns the id of the job. */
async function captureLargeFile(): Promise<string> {
  const lines = Array.from({ length: 500_000 }, (_, n) => `line ${n} of the data`).join('\n');
  const url = site.page(`<title>Long</title><script type="text/plain">${lines}</script>`);
  const { id } = await json(client.submit({ url, format: 'html' }));
  await eventually(
    'the file is there',
    async () => {
      const { status } = await json(client.get(`/v1/jobs/${String(id)}`));
      if (status === 'failed') throw new Error('The capture failed.');
      return status === 'succeeded';
    },
    60_000,
  );
  return String(id);
}

describe.each(PROXIES)('%s', (name, program, start) => {
  let proxy: ReverseProxy;
  const title = (text: string) =>
    program ? text : `${text} (skipped: there is no ${name} here and no apt to fetch it with)`;
  const withProxy = program ? it : it.skip;

  beforeAll(async () => {
    if (program) proxy = await start(program, apps.url);
  }, 60_000);

  afterAll(async () => {
    if (program) await proxy.stop();
  });

  const authorized = (headers: Record<string, string> = {}) => ({
    authorization: `Bearer ${apps.key}`,
    ...headers,
  });
  const sendJson = (path: string, body: string) =>
    proxy.call(path, { method: 'POST', headers: authorized({ 'content-type': 'application/json' }), body });

  withProxy(title('passes on the address at which clients reach the API'), async () => {
    const response = await sendJson('/v1/links', JSON.stringify({ url: site.page(), expires_in_s: 60 }));
    expect(await response.json()).toMatchObject({ url: expect.stringMatching(`^${proxy.url}/v1/render`) });
  });

  withProxy(title('passes on the address of the client, which the client cannot invent'), async () => {
    const wrong = (n: number, from: string) =>
      proxy.call(
        '/v1/usage',
        {
          headers: {
            authorization: `Bearer cap_${name}_${n}`,
            'x-forwarded-for': `203.0.113.${n}`,
            'x-real-ip': `203.0.113.${n}`,
          },
        },
        from,
      );
    const mine = name === 'nginx' ? '127.0.0.11' : '127.0.0.21';
    const other = name === 'nginx' ? '127.0.0.12' : '127.0.0.22';
    const statuses: number[] = [];
    for (let n = 1; n <= MAX_FAILURES + 1; n += 1) statuses.push((await wrong(n, mine)).status);
    expect(statuses).toEqual([...Array.from({ length: MAX_FAILURES }, () => 401), 429]);
    expect((await wrong(9, other)).status).toBe(401);
  });

  withProxy(
    title('passes on the largest body, and leaves it to the API to refuse a larger one'),
    async () => {
      const item = { html: 'a'.repeat(9_900), reference: 'row' };
      const body = JSON.stringify({ items: Array.from({ length: 1_000 }, () => item) });
      expect(body.length).toBeGreaterThan(9.4 * MEGABYTE);
      const accepted = await sendJson('/v1/bulk/json?dry_run=true', body);
      expect([accepted.status, await accepted.json()]).toMatchObject([
        200,
        { would_accept: true, total: 1_000 },
      ]);
      const refused = await sendJson('/v1/bulk/json?dry_run=true', 'a'.repeat(40 * MEGABYTE));
      expect(refused.headers.get('content-type')).toContain('application/problem+json');
      expect([refused.status, await refused.json()]).toMatchObject([413, { code: 'payload_too_large' }]);
    },
    60_000,
  );

  withProxy(
    title('passes on each event at once'),
    async () => {
      const page = site.hold();
      const { id } = await json(client.submit({ url: page.url }));
      await page.visited();
      const response = await proxy.call(`/v1/jobs/${String(id)}/events`, { headers: authorized() });
      const chunks = (response.body ?? []) as AsyncIterable<Uint8Array>;
      let text = '';
      for await (const chunk of chunks) {
        text += Buffer.from(chunk).toString();
        // The page is still waiting, so that nothing else follows by which a buffer could be filled.
        if (text.includes('"status":"running"')) page.release();
      }
      expect(text).toContain('"status":"succeeded"');
    },
    60_000,
  );

  withProxy(
    title('passes on a large file whole'),
    async () => {
      const id = await (largeFile ??= captureLargeFile());
      const direct = await (await client.get(`/v1/jobs/${id}/result`)).arrayBuffer();
      expect(direct.byteLength).toBeGreaterThan(7 * MEGABYTE);
      const response = await proxy.call(`/v1/jobs/${id}/result`, { headers: authorized() });
      expect(response.status).toBe(200);
      expect(digestOf(await response.arrayBuffer())).toBe(digestOf(direct));
    },
    120_000,
  );
});
