import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, statusAndCode, type Client } from '../../../../test/support/client.js';
import { eventually } from '../../../../test/support/eventually.js';
import { FaultProxy } from '../../../../test/support/fault-proxy.js';
import { LinkSigner } from '../../../../test/support/links.js';

/** Two processes of the API on one database, which the second one reaches through a proxy. */
describe('signed links in several processes', () => {
  let first: TestApi;
  let second: TestApi;
  let proxy: FaultProxy;
  let caller: Client & { readonly accountId: string };

  beforeAll(async () => {
    first = await startApi();
    proxy = await FaultProxy.before(first.database.url);
    second = await startApi({ DATABASE_URL: proxy.proxied(first.database.url) }, first);
    caller = await first.client();
  });

  afterAll(async () => {
    await proxy.set('pass');
    await second.close();
    await first.close();
    await proxy.set('refuse');
  });

  const linkOf = async (url: string): Promise<string> =>
    String((await json(caller.post('/v1/links', { url, expires_in_s: 600 }))).url);
  const onSecond = (link: string): string => link.replace(first.url, second.url);

  it('work in each of them, with one capture, and also right after a rotation', async () => {
    const link = await linkOf('https://example.com/both');
    const shown = fetch(onSecond(link));
    await (await first.claim(caller)).succeed();
    expect((await shown).headers.get('x-cache')).toBe('MISS');
    expect((await fetch(link)).headers.get('x-cache')).toBe('HIT');
    const { secrets, keyId } = await LinkSigner.create(first, caller);
    await secrets.rotate(keyId);
    const later = await linkOf('https://example.com/both');
    expect((await fetch(onSecond(later))).headers.get('x-cache')).toBe('HIT');
    await secrets.retire(keyId);
    await eventually('both refuse links of the old secret', async () => {
      const answers = [await fetch(link), await fetch(onSecond(link))];
      return answers.every(({ status }) => status === 403);
    });
  });

  it('go on for seconds while PostgreSQL is away, are then unavailable, and come back', async () => {
    const link = onSecond(await linkOf('https://example.com/outage'));
    const shown = fetch(link);
    await (await first.claim(caller)).succeed();
    expect((await shown).status).toBe(200);
    await eventually('the answer comes from memory', async () => {
      const answer = await fetch(link);
      return answer.headers.get('x-cache') === 'HIT';
    });
    await proxy.set('refuse');
    const during = await fetch(link);
    expect([during.status, await during.text()]).toEqual([200, 'a picture']);
    await eventually('the key is not known any more', async () => {
      const answer = await fetch(link);
      if (answer.status === 200) return false;
      expect(answer.headers.get('retry-after')).toBe('5');
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(await statusAndCode(answer)).toEqual([503, 'unavailable']);
      return true;
    });
    await proxy.set('pass');
    await eventually('the link is back', async () => (await fetch(link)).status === 200);
  });
});
