import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MetricsService } from '@app/metrics';
import { WebhookSecretsService } from '@app/webhooks';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json } from '../../../../test/support/client.js';
import { eventually } from '../../../../test/support/eventually.js';
import { FaultProxy } from '../../../../test/support/fault-proxy.js';
import { expiresIn, LinkSigner } from '../../../../test/support/links.js';

describe('readiness and health', () => {
  let api: TestApi;

  beforeEach(async () => {
    api = await startApi();
  });

  afterEach(() => api.close());

  const read = async (path: string, { url } = api) => {
    const response = await fetch(`${url}${path}`);
    return { status: response.status, body: await response.json() };
  };
  const upOf = async ({ app } = api, dependency = 'secrets'): Promise<string | undefined> => {
    const text = await app.get(MetricsService, { strict: false }).expose();
    return new RegExp(`^capture_dependency_up{dependency="${dependency}"} (.*)$`, 'm').exec(text)?.[1];
  };

  it('are well on the schema of this version', async () => {
    expect(await read('/readyz')).toEqual({
      status: 200,
      body: { status: 'ok', checks: { database: 'ok', schema: 'ok', secrets: 'ok', serving: 'ok' } },
    });
    expect([await upOf(), await upOf(api, 'database')]).toEqual(['1', '1']);
  });

  it.each([
    ['older', 'DELETE FROM migrations WHERE id = (SELECT max(id) FROM migrations)', 'npm run migrate'],
    ['empty', 'DROP TABLE migrations', 'npm run migrate'],
    [
      'unsupported',
      `UPDATE migrations SET timestamp = 1795000000000, name = 'CreateAccounts1795000000000'`,
      'use an empty database',
    ],
  ])('are down on an %s schema, and say what to do', async (_, sql, advice) => {
    await api.database.query(sql);
    expect(await read('/readyz')).toEqual({
      status: 503,
      body: { status: 'down', checks: { database: 'ok', schema: 'down', secrets: 'ok', serving: 'ok' } },
    });
    expect(await read('/v1/health')).toMatchObject({
      status: 503,
      body: {
        status: 'down',
        checks: { database: { status: 'down', error: expect.stringContaining(advice) } },
      },
    });
    expect(await upOf(api, 'database')).toBe('0');
  });

  it('say that SECRETS_KEY is another one than the secrets were sealed with, and links say so too', async () => {
    const client = await api.client();
    const signer = await LinkSigner.create(api, client);
    const link = await signer.link(`url=https%3A%2F%2Fexample.com&${expiresIn(60)}`);
    await api.app.get(WebhookSecretsService, { strict: false }).current(client.accountId);
    const other = await startApi({ SECRETS_KEY: Buffer.alloc(32, 9).toString('base64') }, api);
    try {
      const refused = await fetch(link.replace(api.url, other.url));
      expect([refused.status, await json(refused)]).toEqual([
        503,
        expect.objectContaining({ code: 'secrets_unreadable', retryable: false }),
      ]);
      expect(await read('/v1/health', other)).toMatchObject({
        status: 200,
        body: {
          status: 'degraded',
          checks: { secrets: { status: 'down', error: expect.stringContaining('SECRETS_KEY') } },
        },
      });
      expect(await read('/readyz', other)).toMatchObject({
        status: 200,
        body: { status: 'degraded', checks: { database: 'ok', secrets: 'down' } },
      });
      expect([await upOf(other), await upOf()]).toEqual(['0', '1']);
    } finally {
      await other.close();
    }
  });

  it('are down while the database is away', async () => {
    const proxy = await FaultProxy.before(api.database.url);
    const frail = await startApi({ DATABASE_URL: proxy.proxied(api.database.url) }, api);
    try {
      const status = async () => (await read('/v1/health', frail)).status;
      expect(await status()).toBe(200);
      await proxy.set('refuse');
      await eventually('the health is down', async () => (await status()) === 503);
      expect((await read('/v1/health', frail)).body).toMatchObject({ status: 'down' });
      await proxy.set('pass');
      await eventually('the service is healthy again', async () => (await status()) === 200);
    } finally {
      await frail.close();
      await proxy.close();
    }
  });
});
