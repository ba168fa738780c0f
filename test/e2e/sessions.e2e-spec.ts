import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { newId } from '@app/kernel';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json, type Json } from '../support/client.js';
import { CrawlSite, page, redirect } from '../support/crawl-site.js';
import { dumpOf } from '../support/database-dump.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { LogInSite, PASSWORD, SEED } from '../support/log-in-site.js';
import { ToolUser } from '../support/mcp.js';
import { startOtlpReceiver, type OtlpReceiver } from '../support/otlp-receiver.js';

describe('sessions', () => {
  let site: LogInSite;
  let gate: CrawlSite;
  let elsewhere: CrawlSite;
  let collector: OtlpReceiver;
  let apps: Apps;
  let client: Client;

  beforeAll(async () => {
    site = await LogInSite.open();
    gate = await new CrawlSite().open();
    elsewhere = await new CrawlSite('127.0.0.2').open();
    collector = await startOtlpReceiver();
    apps = await startApps({
      EGRESS_ALLOW: `127.0.0.1:${site.port},127.0.0.1:${gate.port},127.0.0.2:${elsewhere.port}`,
      WORKER_SLOTS: '2',
      LOG_LEVEL: 'debug',
      METRICS_PORT: String(await freePort()),
      SESSIONS_PER_ACCOUNT: '30',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    });
    client = new Client(apps);
  }, 120_000);

  afterAll(async () => {
    await apps.stop();
    await site.close();
    await gate.close();
    await elsewhere.close();
    await collector.close();
  });

  beforeEach(() => {
    site.isClosed = false;
    site.delayMs = 0;
  });

  const LOG_IN = [
    { type: 'fill', selector: '#user', value: 'ada' },
    { type: 'fill', selector: '#password', secret: 'password' },
    { type: 'fill', selector: '#code', totp: 'seed' },
    { type: 'click', selector: '#in' },
    { type: 'wait', selector: '.welcome', timeout_ms: 5_000 },
  ];
  const requestOf = (name: string, more: Json = {}): Json => ({
    name,
    origins: [site.url],
    login: { url: `${site.url}/login`, actions: LOG_IN, secrets: { password: PASSWORD, seed: SEED } },
    check: { url: `${site.url}/account`, selector: '.account' },
    ...more,
  });
  const stateOf = (name: string, more: Json = {}): Json => ({
    name,
    origins: [site.url],
    state: {
      cookies: [{ name: 'sid', value: site.addSession(), domain: '127.0.0.1', path: '/', httpOnly: true }],
      origins: [],
    },
    ...more,
  });
  const create = async (request: Json): Promise<Json> => {
    const answer = await client.post('/v1/sessions', request);
    const session = await json(answer);
    expect([answer.status, session.errors]).toEqual([201, undefined]);
    return session;
  };
  const show = (id: unknown): Promise<Json> => json(client.get(`/v1/sessions/${String(id)}`));
  const settled = (id: unknown): Promise<Json> =>
    eventually('no log-in is open', async () => (await show(id)).is_logging_in === false).then(() =>
      show(id),
    );
  const used = async (): Promise<number> => Number((await json(client.get('/v1/usage'))).used);
  const account = (options: Json): Promise<Json> => client.record({ url: `${site.url}/orders`, ...options });

  it('log in once, and make captures wait for it', async () => {
    const [logIns, before] = [site.logIns, await used()];
    const session = await create(requestOf('shop'));
    expect(session).toMatchObject({ status: 'pending', generation: 0, login_url: `${site.url}/login` });
    const records = await Promise.all([1, 2, 3, 4].map(() => account({ session: 'shop' })));
    for (const record of records) {
      // The check has seen the account before.
      expect(record).toMatchObject({ status: 'succeeded', title: 'Account /orders seen 1' });
      expect(record.session).toMatchObject({ id: session.id, name: 'shop', generation: 1 });
    }
    expect(site.logIns).toBe(logIns + 1);
    expect(await used()).toBe(before + 5);
    expect(await show('shop')).toMatchObject({ status: 'active', generation: 1, failures: 0, error: null });
    const picture = await client.get('/v1/sessions/shop/picture');
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(await sharp(Buffer.from(await picture.arrayBuffer())).metadata()).toMatchObject({ width: 1280 });
  });

  it('log in as a recording of Chrome did, whose secrets are named', async () => {
    const change = (selector: string, typed: Json): Json => ({
      type: 'change',
      target: 'main',
      selectors: [['aria/Nothing'], [selector]],
      ...typed,
    });
    const recording = {
      title: 'Sign in',
      steps: [
        { type: 'navigate', url: `${site.url}/login` },
        change('#user', { value: 'ada' }),
        change('#password', { secret: 'password' }),
        change('#code', { totp: 'seed' }),
        { type: 'click', target: 'main', selectors: [['#in']], offsetX: 5, offsetY: 5 },
        { type: 'waitForElement', selectors: [['.welcome']] },
      ],
    };
    const login = { url: `${site.url}/login`, recording, secrets: { password: PASSWORD, seed: SEED } };
    await create(requestOf('recorded', { login }));
    expect(await account({ session: 'recorded' })).toMatchObject({ title: 'Account /orders seen 1' });
    const broken = { ...recording, steps: recording.steps.slice(0, -1) };
    await create(
      requestOf('misrecorded', {
        login: { ...login, recording: broken, secrets: { password: 'wrong', seed: SEED } },
      }),
    );
    const failed = await client.capture({ url: `${site.url}/orders`, session: 'misrecorded' });
    expect(await json(failed)).toMatchObject({ code: 'login_failed', errors: [{ pointer: '/check' }] });
  });

  it('give captures what the site has stored, without a request to it', async () => {
    await create(requestOf('stored'));
    await account({ session: 'stored' });
    site.requests.length = 0;
    const record = await client.record({ url: `${site.url}/storage`, session: 'stored', delay_ms: 300 });
    expect(record.title).toMatch(/^empty2,tokens3\|dark\|\|indexed-token\|0\|7\|2\|(seen=\d+)?\|2$/);
    expect(site.requests.filter((path) => path !== '/favicon.ico')).toEqual(['/storage']);
  });

  it('of a state work at once, drop what is foreign, and keep what a capture changes only when it is asked to', async () => {
    const request = stateOf('state');
    const { cookies } = request.state as { cookies: Json[] };
    cookies.push({ name: 'other', value: 'x', domain: 'other.example', path: '/' });
    const storage = {
      localStorage: [{ name: 'theme', value: 'light' }],
      sessionStorage: [{ name: 'tab', value: '7' }],
    };
    (request.state as { origins: Json[] }).origins.push(
      { origin: site.url, ...storage },
      { origin: 'https://other.example', localStorage: [{ name: 'a', value: 'b' }] },
    );
    expect(await create(request)).toMatchObject({ status: 'active', generation: 1, login_url: null });
    const titles = [];
    for (const session_save of [false, true, false]) {
      titles.push((await account({ session: 'state', ...(session_save && { session_save }) })).title);
    }
    expect(titles).toEqual(['Account /orders seen 0', 'Account /orders seen 0', 'Account /orders seen 1']);
    expect((await show('state')).generation).toBe(2);
    const stored = await client.record({ url: `${site.url}/storage`, session: 'state', delay_ms: 300 });
    expect(stored.title).toMatch(/^\|light\|7\|/);
  });

  it('are renewed once when a page asks for a log-in, and the capture is charged once', async () => {
    await create(requestOf('ending'));
    await account({ session: 'ending' });
    const [logIns, before] = [site.logIns, await used()];
    site.endSessions();
    const records = await Promise.all([1, 2, 3].map(() => account({ session: 'ending' })));
    expect(records.map(({ title }) => title)).toEqual(Array(3).fill('Account /orders seen 1'));
    expect(site.logIns).toBe(logIns + 1);
    expect(await used()).toBe(before + 4);
  });

  it('fail after three log-ins that fail, until a person logs in', async () => {
    site.isClosed = true;
    await create(requestOf('locked'));
    const refusals = site.refusals;
    const failed = await client.capture({ url: `${site.url}/orders`, session: 'locked' });
    expect(await json(failed)).toMatchObject({
      code: 'login_failed',
      errors: [{ pointer: '/login/actions/4' }],
    });
    expect(await show('locked')).toMatchObject({
      status: 'failed',
      failures: 3,
      error: { code: 'login_failed', errors: [{ pointer: '/login/actions/4' }] },
    });
    expect(site.refusals).toBeLessThanOrEqual(refusals + 3);
    expect((await client.get('/v1/sessions/locked/picture')).status).toBe(200);
    const refused = await client.capture({ url: `${site.url}/orders`, session: 'locked' });
    expect([refused.status, (await json(refused)).code]).toEqual([409, 'session_not_ready']);
    site.isClosed = false;
    expect((await client.send('POST', '/v1/sessions/locked/login')).status).toBe(202);
    expect(await account({ session: 'locked' })).toMatchObject({ title: 'Account /orders seen 1' });
  });

  it('are checked on no host that the key of their owner must not capture', async () => {
    gate.describe({ '/': page([]), '/account': redirect(`${elsewhere.origin}/account`) });
    elsewhere.describe({ '/account': page([]) });
    const { id } = await create({
      name: 'held',
      origins: [gate.origin],
      state: { cookies: [], origins: [] },
      check: { url: `${gate.origin}/account`, selector: 'h1' },
    });
    const capture = (): Promise<Json> => client.record({ url: `${gate.origin}/`, session: 'held' });
    expect(await capture()).toMatchObject({ status: 'succeeded' });
    expect(elsewhere.visits).toContain('/account');
    elsewhere.visits.length = 0;
    await apps.database.query(
      `UPDATE sessions SET checked_at = NULL,
              session_check = (session_check::jsonb || '{"allowed_hosts": ["127.0.0.1"]}')::json WHERE id = $1`,
      [id],
    );
    expect(await capture()).toMatchObject({ status: 403, code: 'target_forbidden' });
    expect(elsewhere.visits).toEqual([]);
  });

  it('are checked before their first use after keep_alive_s', async () => {
    const { id } = await create(requestOf('checked'));
    await settled(id);
    await apps.database.query(`UPDATE sessions SET checked_at = now() - interval '1 day' WHERE id = $1`, [
      id,
    ]);
    site.requests.length = 0;
    await Promise.all([account({ session: 'checked' }), account({ session: 'checked' })]);
    expect(site.requests.filter((path) => path === '/account')).toHaveLength(1);
    site.endSessions();
    await apps.database.query(`UPDATE sessions SET checked_at = now() - interval '1 day' WHERE id = $1`, [
      id,
    ]);
    expect(await account({ session: 'checked' })).toMatchObject({
      title: 'Account /orders seen 1',
    });
    expect(await show(id)).toMatchObject({ status: 'active', generation: 2 });
  });

  it('get cached captures only of the same session, and since its last log-in', async () => {
    const { id } = await create(requestOf('cached'));
    // A capture that waits for the log-in was accepted before there was a state.
    await settled(id);
    await create(stateOf('cached-too'));
    const visits = (): number => site.requests.filter((path) => path === '/cached').length;
    const capture = async (session: string): Promise<number> => {
      const record = await client.record({ url: `${site.url}/cached`, session, cache_ttl_s: 600 });
      expect(record).toMatchObject({ status: 'succeeded', session: { name: session } });
      return visits();
    };
    expect([await capture('cached'), await capture('cached'), await capture('cached-too')]).toEqual([
      1, 1, 2,
    ]);
    expect((await client.send('POST', '/v1/sessions/cached/login')).status).toBe(202);
    expect(await settled(id)).toMatchObject({ generation: 2 });
    expect([await capture('cached'), await capture('cached')]).toEqual([3, 3]);
  });

  it('are gone with their secrets when they are deleted', async () => {
    const { id } = await create(stateOf('gone'));
    expect((await client.send('DELETE', '/v1/sessions/gone')).status).toBe(204);
    expect((await client.get('/v1/sessions/gone')).status).toBe(404);
    expect(await show(id)).toMatchObject({ status: 'revoked' });
    const refused = await client.capture({ url: `${site.url}/orders`, session: id });
    expect([refused.status, (await json(refused)).code]).toEqual([409, 'session_not_ready']);
    const { rows } = await apps.database.query(`SELECT secrets, state, log_in FROM sessions WHERE id = $1`, [
      id,
    ]);
    expect(rows).toEqual([{ secrets: null, state: null, log_in: null }]);
    await create(stateOf('gone'));
  });

  it('refuse requests with pointers', async () => {
    const faults = async (body: Json): Promise<unknown> => {
      const answer = await json(client.post('/v1/sessions', body));
      return [
        answer.code,
        (answer.errors as Json[] | undefined)?.map(
          ({ pointer, code }) => `${String(pointer)} ${String(code)}`,
        ),
      ];
    };
    const valid = requestOf('refused');
    const login = valid.login as Json;
    expect(await faults({ ...valid, nme: 1 })).toEqual(['invalid_request', ['/nme unknown_field']]);
    expect(await faults({ ...valid, login: { ...login, steps: [] } })).toEqual([
      'invalid_request',
      ['/login/steps unknown_field'],
    ]);
    const recording = { steps: [{ type: 'click', selectors: [['#in']] }] };
    expect(await faults({ ...valid, login: { ...login, recording } })).toEqual([
      'invalid_request',
      ['/login/recording conflict'],
    ]);
    const recorded = { url: login.url, recording: { steps: [...recording.steps, { type: 'close' }] } };
    expect(await faults({ ...valid, login: recorded })).toEqual([
      'invalid_request',
      ['/login/recording/steps/1/type not_allowed'],
    ]);
    expect(await faults({ ...valid, login: { url: login.url } })).toEqual([
      'invalid_request',
      ['/login/actions required'],
    ]);
    expect(await faults({ ...valid, origins: [`${site.url}/path`] })).toEqual([
      'invalid_request',
      ['/origins invalid_value'],
    ]);
    expect(await faults({ name: 'a', origins: [site.url] })).toEqual([
      'invalid_request',
      ['/login required'],
    ]);
    expect(await faults({ ...valid, login: { ...login, actions: [{ type: 'clik' }] } })).toEqual([
      'invalid_request',
      ['/login/actions/0/type not_allowed'],
    ]);
    expect(await faults({ ...valid, check: { url: 'https://other.example/', selector: 'a' } })).toEqual([
      'session_origin',
      ['/check/url session_origin'],
    ]);
    expect(await faults(stateOf('a', { state: { cookies: [{ name: 'a', value: 1 }] } }))).toEqual([
      'invalid_request',
      ['/state/cookies/0/value wrong_type', '/state/cookies/0/domain required'],
    ]);
    const other = await client.capture({
      url: 'https://other.example/',
      session: (await create(stateOf('mine'))).name,
    });
    expect([other.status, (await json(other)).code]).toEqual([400, 'session_origin']);
    const unknown = await client.capture({ url: `${site.url}/orders`, session: newId() });
    expect(await json(unknown)).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/session' }] });
    expect(await faults(stateOf('mine'))).toEqual(['invalid_request', ['/name not_unique']]);
  });

  it('are made once for an Idempotency-Key, and listed', async () => {
    const [key, request] = [{ 'idempotency-key': newId() }, stateOf('once')];
    const first = await json(client.post('/v1/sessions', request, key));
    const again = await client.post('/v1/sessions', request, key);
    expect([again.headers.get('idempotency-replayed'), (await json(again)).id]).toEqual(['true', first.id]);
    const list = await json(client.get('/v1/sessions?limit=1'));
    expect(list).toMatchObject({ items: [{ id: first.id }], next_cursor: expect.any(String) });
    const next = await json(client.get(`/v1/sessions?limit=100&cursor=${String(list.next_cursor)}`));
    expect((next.items as Json[]).map(({ id }) => id)).not.toContain(first.id);
  });

  it('serve the rows of a batch, whose rows outside of the origins are refused', async () => {
    await create(stateOf('rows'));
    const csv = `url,session\n${site.url}/a,rows\nhttps://other.example/,rows\n`;
    const headers = { 'content-type': 'text/csv' };
    const answer = await client.send('POST', '/v1/bulk/csv?on_invalid=skip', { headers, body: csv });
    const batch = await json(answer);
    expect(batch.errors).toMatchObject([{ row: 2, code: 'session_origin' }]);
    const path = `/v1/captures?batch_id=${String(batch.id)}&status=succeeded`;
    await eventually(
      'the row ends',
      async () => ((await json(client.get(path))).items as Json[]).length === 1,
    );
    expect((await json(client.get(path))).items).toMatchObject([
      { title: 'Account /a seen 0', session: { name: 'rows' } },
    ]);
  });

  it('share a context between the rows of one batch only when each of them asks for it', async () => {
    await create(stateOf('sharing'));
    const seenBy = async (more: Json): Promise<unknown[]> => {
      const items = Array.from({ length: 6 }, (_, i) => ({
        url: `${site.url}/row-${i}`,
        session: 'sharing',
      }));
      const { id } = await json(client.post('/v1/bulk/json', { items, defaults: more }));
      const path = `/v1/captures?batch_id=${String(id)}&status=succeeded`;
      const ended = (): Promise<Json> => json(client.get(path));
      await eventually('the rows end', async () => ((await ended()).items as Json[]).length === 6);
      return ((await ended()).items as Json[]).map(({ title }) => String(title).split(' ').at(-1));
    };
    expect(await seenBy({})).toEqual(Array(6).fill('0'));
    // Each page counts in a cookie how often it was seen. Two browsers have a context each, which begin from 0.
    const first = await seenBy({ session_share: true });
    expect(Math.max(...first.map(Number))).toBeGreaterThanOrEqual(2);
    expect(first).toContain('0');
    // Another batch shares nothing with it, and neither does a capture that is no row.
    expect(await seenBy({ session_share: true })).toContain('0');
    expect(await account({ session: 'sharing', session_share: true })).toMatchObject({
      title: expect.stringMatching(/0$/),
    });
  });

  it('show nothing of their secrets and of what they hold anywhere', async () => {
    const [cookie, stored, tab, record] = ['cookie', 'stored', 'tab', 'record'].map(
      (name) => `canary-${name}-9d1f`,
    );
    const stores = [
      { name: 'users', autoIncrement: false, indexes: [], records: [{ key: 'token', value: record }] },
    ];
    const request = stateOf('canaries');
    (request.state as { cookies: Json[] }).cookies.push({
      name: 'c',
      value: cookie,
      domain: '127.0.0.1',
      path: '/',
    });
    (request.state as { origins: Json[] }).origins.push({
      origin: site.url,
      localStorage: [{ name: 'token', value: stored }],
      sessionStorage: [{ name: 'token', value: tab }],
      indexedDB: [{ name: 'canaries', version: 1, stores }],
    });
    await create(request);
    const failing = [{ type: 'click', selector: '#nowhere', timeout_ms: 200 }];
    const records = [
      await account({ session: 'canaries', session_save: true }),
      await account({ session: 'canaries', actions: failing, on_failure_picture: true }),
    ];
    expect(records).toMatchObject([{ status: 'succeeded' }, { code: 'action_failed' }]);
    expect(await show('canaries')).toMatchObject({ generation: 2 });
    await using user = await ToolUser.overHttp(apps);
    const list = await user.call('list_sessions', {});
    expect(list.text).toContain('canaries');
    const dump = await dumpOf(apps.database);
    expect(dump).toContain('canaries');
    const spans = (): string => JSON.stringify(collector.spans);
    await eventually('the traces of both are there', () =>
      [String(records[0]?.id), 'action_failed'].every((text) => spans().includes(text)),
    );
    const everywhere = [
      JSON.stringify([
        records,
        await show('canaries'),
        await json(client.get('/v1/sessions?limit=100')),
        list,
      ]),
      apps.api.log(),
      apps.worker.log(),
      await (await fetch(`${apps.worker.url}/metrics`)).text(),
      await (await fetch(`http://127.0.0.1:${apps.env.METRICS_PORT}/metrics`)).text(),
      dump,
      spans(),
    ];
    for (const secret of [PASSWORD, SEED, ...site.sids, cookie, stored, tab, record].map(String)) {
      for (const text of everywhere) {
        expect(text.includes(secret)).toBe(false);
        expect(text.includes(Buffer.from(secret).toString('hex'))).toBe(false);
      }
    }
  });
});
