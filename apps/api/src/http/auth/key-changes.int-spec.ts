import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiKeysService } from '@app/auth';
import { Clock, ManualClock } from '@app/kernel';
import { startApi, type TestApi } from '../../../../../test/support/api.js';
import { type Client, statusAndCode } from '../../../../../test/support/client.js';
import { eventually } from '../../../../../test/support/eventually.js';

describe('a change of a key', () => {
  let changing: TestApi;
  /** Another process, whose time stands still: it forgets nothing, and lets nothing more through from an address that is throttled. */
  let strict: TestApi;
  let keys: ApiKeysService;

  beforeAll(async () => {
    changing = await startApi();
    const clock = new ManualClock(new Date());
    strict = await startApi({ AUTH_FAILURES_PER_MINUTE: '2' }, changing, [[Clock, clock]]);
    keys = changing.app.get(ApiKeysService, { strict: false });
  });

  afterAll(async () => {
    await strict.close();
    await changing.close();
  });

  const usage = async (key: string): Promise<number> => (await asKey(key).get('/v1/usage')).status;
  const asKey = (key: string): Client => anyone.withKey(key);
  let anyone: Client;

  /** A key that the strict process knows, and two that it does not. */
  const newKeys = async () => {
    const client = await strict.client();
    anyone = client;
    const [used, fresh, other] = await Promise.all(
      ['used', 'fresh', 'other'].map((name) => keys.create(client.accountId, name)),
    );
    if (!used || !fresh || !other) throw new Error('no keys');
    expect(await usage(used.key)).toBe(200);
    return { used, fresh, other };
  };

  /** Guesses until the address is throttled and its one look-up a second is taken. */
  const throttle = async (other: string): Promise<void> => {
    await eventually('guesses are throttled', async () => (await usage('cap_guess')) === 429);
    expect(await usage(other)).toBe(200);
  };

  it('is known at once in other processes, also where the address of the client is throttled', async () => {
    const { used, fresh, other } = await newKeys();
    await throttle(other.key);
    const rotated = await keys.rotate(used.id, 60);
    await eventually('the new secret works', async () => (await usage(rotated?.key ?? '')) === 200);
    expect(await usage(used.key)).toBe(200);

    const again = await keys.rotate(used.id, 0);
    await eventually('the secret before does not', async () => (await usage(rotated?.key ?? '')) === 429);
    expect(await usage(again?.key ?? '')).toBe(200);

    // What was not valid here before waits for a look-up that guesses have taken.
    const unknown = await keys.rotate(fresh.id, 60);
    expect(await statusAndCode(asKey(unknown?.key ?? '').get('/v1/usage'))).toEqual([429, 'rate_limited']);

    await keys.revoke(used.id);
    await eventually('the revoked key works no more', async () => (await usage(again?.key ?? '')) === 429);
  });
});
