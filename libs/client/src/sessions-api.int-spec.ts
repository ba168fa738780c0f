import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError } from '@app/kernel';
import { startApi, type TestApi } from '../../../test/support/api.js';
import { CaptureClient, type NewSession, type SessionRecord } from './index.js';

const ORIGIN = 'https://shop.example';

describe('the sessions of an account', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await startApi();
  });

  afterAll(() => api.close());

  const newAccount = async () => {
    const { apiKey, accountId } = await api.client();
    return { accountId, client: new CaptureClient({ baseUrl: api.url, key: apiKey }) };
  };
  const ofState = (name: string): NewSession => ({
    name,
    origins: [ORIGIN],
    state: { cookies: [{ name: 'sid', value: 'a1b2', domain: 'shop.example', path: '/' }] },
  });
  const ofLogIn = (name: string): NewSession => ({
    name,
    origins: [ORIGIN],
    login: {
      url: `${ORIGIN}/login`,
      actions: [{ type: 'fill', selector: '#password', secret: 'password' }],
      secrets: { password: 'correct horse' },
    },
    check: { url: `${ORIGIN}/account`, selector: '.account' },
  });

  it('are made of a state, found by name and id, listed and deleted', async () => {
    const { client } = await newAccount();
    const made = await client.sessions.create(ofState('shop'));
    expect(made).toMatchObject({ name: 'shop', status: 'active', login_url: null, is_logging_in: false });
    expect(await client.sessions.get('shop')).toEqual(made);
    expect(await client.sessions.wait(made.id)).toEqual(made);
    const others = [await client.sessions.create(ofState('b')), await client.sessions.create(ofState('c'))];
    const names: string[] = [];
    for await (const { name } of client.sessions.list({ limit: 2 })) names.push(name);
    expect(names).toEqual(['c', 'b', 'shop']);
    expect((await client.sessions.page({ limit: 1 })).items).toEqual([others[1]]);
    expect(await client.sessions.delete('shop')).toBeUndefined();
    await expect(client.sessions.get('shop')).rejects.toMatchObject({ code: 'not_found' });
    expect(await client.sessions.get(made.id)).toMatchObject({ status: 'revoked' });
    await expect(client.sessions.get('')).rejects.toMatchObject({ code: 'invalid_options' });
  });

  it('are waited for until their log-in has ended, and log in again', async () => {
    const { client, accountId } = await newAccount();
    const { id } = await client.sessions.create(ofLogIn('shop'));
    await expect(client.sessions.wait('shop', { timeoutMs: 1 })).rejects.toMatchObject({
      code: 'timeout',
      detail: expect.stringMatching(/^The log-in of the session shop has not ended/),
    });
    const seen: SessionRecord[] = [];
    const waiting = client.sessions.wait('shop', { onChange: (record) => seen.push(record) });
    const logIn = await api.claim({ accountId });
    await logIn.fail(new AppError('action_failed', { detail: 'There is no element #password.' }));
    const failed = await waiting;
    expect(failed).toMatchObject({
      id,
      status: 'pending',
      is_logging_in: false,
      failures: 1,
      error: { detail: expect.stringContaining('#password') },
    });
    expect(seen.at(-1)).toEqual(failed);
    expect(await client.sessions.logIn('shop')).toMatchObject({ is_logging_in: true, failures: 0 });
    const abort = new AbortController();
    const aborted = client.sessions.wait(id, {}, { signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    await client.sessions.delete(id);
    expect(await client.sessions.wait(id)).toMatchObject({ status: 'revoked', is_logging_in: false });
  });

  it('have a picture of what the log-in saw', async () => {
    const { client, accountId } = await newAccount();
    const capture = client.capture({
      url: `${ORIGIN}/`,
      session: (await client.sessions.create(ofState('a'))).id,
    });
    await (await api.claim({ accountId })).succeed();
    const { captureId } = await capture;
    await expect(client.sessions.picture('a')).rejects.toMatchObject({ code: 'not_found' });
    // The capture in the place of a log-in, which only a worker can end.
    await api.database.query(`UPDATE sessions SET last_job_id = $1 WHERE name = 'a'`, [captureId]);
    const { bytes, contentType } = await client.sessions.picture('a');
    expect([contentType, new TextDecoder().decode(bytes)]).toEqual(['image/png', 'a picture']);
  });

  it('belong to their account, and are refused with pointers', async () => {
    const [{ client }, { client: stranger }] = [await newAccount(), await newAccount()];
    const { id } = await client.sessions.create(ofState('mine'));
    for (const call of ['get', 'logIn', 'picture', 'delete'] as const) {
      await expect(stranger.sessions[call](id)).rejects.toMatchObject({ code: 'not_found' });
    }
    await expect(client.sessions.create(ofState('mine'))).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/name' }],
    });
    await expect(client.sessions.logIn('mine')).rejects.toMatchObject({ code: 'session_not_ready' });
  });
});
