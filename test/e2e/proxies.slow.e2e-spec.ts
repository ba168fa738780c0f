import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FaultSite } from '../faults/support/fault-site.js';
import { startApps, type Apps } from '../support/apps.js';
import { findProxy, startCaddy, startNginx, type ReverseProxy } from '../support/reverse-proxies.js';

const nginx = await findProxy('nginx');
const caddy = await findProxy('caddy');

// Slow, because nginx without a setting gives up after a minute.
const where = nginx ? describe : describe.skip;
where(`a synchronous capture that takes more than a minute${nginx ? '' : ' (skipped: no nginx)'}`, () => {
  let site: FaultSite;
  let apps: Apps;
  const proxies: ReverseProxy[] = [];

  beforeAll(async () => {
    site = await FaultSite.open();
    apps = await startApps({
      EGRESS_ALLOW: `127.0.0.1:${site.port}`,
      WORKER_SLOTS: '4',
      TRUSTED_PROXIES: '1',
    });
  }, 120_000);

  afterAll(async () => {
    await Promise.all(proxies.map((proxy) => proxy.stop()));
    await apps.stop();
    await site.close();
  }, 60_000);

  it('is cut by the defaults of nginx, and answered through the files of deploy/proxies', async () => {
    if (!nginx) return;
    const careless = await startNginx(nginx, apps.url, { 'proxy_read_timeout 240s;': '' });
    const careful = [
      await startNginx(nginx, apps.url),
      ...(caddy ? [await startCaddy(caddy, apps.url)] : []),
    ];
    proxies.push(careless, ...careful);
    const page = site.hold();
    const capture = (proxy: ReverseProxy) =>
      proxy.call('/v1/capture', {
        method: 'POST',
        headers: { authorization: `Bearer ${apps.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url: page.url, timeout_ms: 120_000, navigation_timeout_ms: 120_000 }),
      });
    const answers = careful.map(capture);
    await page.visited(careful.length);
    expect((await capture(careless)).status).toBe(504);
    page.release();
    for (const answer of await Promise.all(answers))
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
  }, 240_000);
});
