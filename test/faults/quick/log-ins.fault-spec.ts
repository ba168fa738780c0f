import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { json, type Json } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { faultIn, stopwatch } from '../support/fault.js';
import { LogInPages } from '../support/log-in-pages.js';
import { becomesActive, createSession, jobsOf, sessionOf } from '../support/session-world.js';
import { QUEUES } from '../support/servers.js';
import { World } from '../support/world.js';

/** Each worker makes one capture of jobs at a time, and keeps its other slot for callers who wait. */
const AT_ONCE = 2;
/** One capture with a result: it was made once, and charged once. */
const MADE = { status: 'succeeded', error: null, attempts: 1, charges: 1, failures: 0, losses: 0 };
const REFUSED = { status: 'failed', error: 'session_not_ready', charges: 0 };

describe.each(QUEUES)('faults of sessions, with the queue in %s', (queue) => {
  let world: World;

  beforeAll(async () => {
    world = await World.open({ queue });
  }, 120_000);

  afterAll(() => world.close(), 60_000);

  const fault = faultIn(queue, () => world);
  const submit = (name: string, url: string, count: number): Promise<string[]> =>
    Promise.all(
      Array.from({ length: count }, () => world.submit({ url, session: name, timeout_ms: 60_000 })),
    );

  fault('F37', 'captures of two workers that find a session ended renew it once', async () => {
    const pages = new LogInPages(world.site);
    await createSession(world, pages.requestOf('renewed'));
    await becomesActive(world, 'renewed');
    pages.endSessions();
    pages.account.hold();
    const ids = await submit('renewed', pages.account.url, AT_ONCE);
    await pages.account.visited(AT_ONCE);
    const since = stopwatch();
    pages.account.release();
    await world.rows.succeeded(ids);
    expect(pages.logIns).toBe(2);
    expect(await sessionOf(world, 'renewed')).toMatchObject({ status: 'active', generation: 2, failures: 0 });
    const jobs = await jobsOf(world, 'renewed');
    expect(jobs.filter(({ isLogIn }) => isLogIn)).toMatchObject([MADE, MADE]);
    expect(jobs.filter(({ isLogIn }) => !isLogIn)).toMatchObject(
      ids.map(() => ({ status: 'succeeded', charges: 1, failures: 0, losses: 0 })),
    );
    return `one log-in for ${AT_ONCE} captures, which had succeeded ${since()} after the page asked for it`;
  });

  fault('F38', 'a session that is deleted while 50 captures run ends them as what they are', async () => {
    const pages = new LogInPages(world.site);
    await createSession(world, pages.stateOf('deleted'));
    pages.account.hold();
    const ids = await submit('deleted', pages.account.url, 50);
    await pages.account.visited(AT_ONCE);
    expect((await world.client.send('DELETE', '/v1/sessions/deleted')).status).toBe(204);
    const since = stopwatch();
    pages.account.release();
    await world.rows.ended();
    const jobs = await jobsOf(world, 'deleted');
    expect(jobs).toHaveLength(ids.length);
    expect(jobs.filter(({ status }) => status === 'succeeded')).toMatchObject(Array(AT_ONCE).fill(MADE));
    expect(jobs.filter(({ status }) => status !== 'succeeded')).toMatchObject(
      Array(ids.length - AT_ONCE).fill({ ...REFUSED, attempts: 1 }),
    );
    expect(await secretsOf('deleted')).toEqual([
      { status: 'revoked', secrets: null, state: null, log_in: null },
    ]);
    return `${AT_ONCE} that ran succeeded, the others were refused, all ${since()} after the deletion`;
  });

  fault(
    'F38',
    'a session that is deleted while it logs in stops the log-in and what waits for it',
    async () => {
      const pages = new LogInPages(world.site);
      pages.signIn.hold();
      await createSession(world, pages.requestOf('unborn'));
      await pages.signIn.visited();
      await submit('unborn', pages.account.url, 10);
      expect((await world.client.send('DELETE', '/v1/sessions/unborn')).status).toBe(204);
      const since = stopwatch();
      await world.rows.ended();
      const ended = since();
      pages.signIn.release();
      const [logIn, ...captures] = await jobsOf(world, 'unborn');
      expect(logIn).toMatchObject({ isLogIn: true, status: 'canceled', charges: 0 });
      expect(captures).toMatchObject(Array(10).fill(REFUSED));
      expect(await secretsOf('unborn')).toEqual([
        { status: 'revoked', secrets: null, state: null, log_in: null },
      ]);
      return `the log-in was canceled and 10 captures were refused within ${ended}`;
    },
  );

  fault('F38', 'a session outlives the key that made it, and is renewed without it', async () => {
    const pages = new LogInPages(world.site);
    const first = world.clientOf(await world.account('owner'));
    const words = ['create', '--account', 'owner', '--json'];
    const { key } = JSON.parse(await world.script('dist/scripts/keys.js', words)) as { key: string };
    const second = world.clientOf(key);
    await createSession(world, pages.requestOf('inherited'), first);
    const record = (): Promise<Json> =>
      second.record({ url: pages.account.url, session: 'inherited', timeout_ms: 60_000 });
    expect(await record()).toMatchObject({ status: 'succeeded', title: 'Account' });
    const [oldest] = await world.rows.query<{ id: string }>(
      `SELECT api_keys.id FROM api_keys JOIN accounts ON accounts.id = account_id WHERE accounts.name = 'owner'
        ORDER BY api_keys.created_at LIMIT 1`,
    );
    await world.script('dist/scripts/keys.js', ['revoke', oldest?.id ?? '']);
    const since = stopwatch();
    const isRefused = async (): Promise<boolean> => (await first.get('/v1/sessions')).status === 401;
    await eventually('the key is refused', isRefused);
    pages.endSessions();
    expect(await record()).toMatchObject({
      status: 'succeeded',
      title: 'Account',
      session: { generation: 2 },
    });
    expect(pages.logIns).toBe(2);
    return `renewed and used by another key of the account ${since()} after the revocation`;
  });

  fault('F39', 'a session is failed while SECRETS_KEY is lost, and usable once it is back', async () => {
    const pages = new LogInPages(world.site);
    await createSession(world, pages.requestOf('sealed'));
    await becomesActive(world, 'sealed');
    await createSession(world, pages.stateOf('given'));
    for (const member of [...world.members]) if (member.isRunning()) await world.kill(member);
    const SECRETS_KEY = randomBytes(32).toString('base64');
    await Promise.all([world.start('api', { SECRETS_KEY }), world.start('worker', { SECRETS_KEY })]);
    for (const name of ['sealed', 'given']) {
      const ask = async (): Promise<unknown> => {
        const answer = await world.client.capture({ url: pages.account.url, session: name });
        return [answer.status, (await json(answer)).code];
      };
      expect(await ask()).toEqual([503, 'secrets_unreadable']);
      expect(await sessionOf(world, name)).toMatchObject({
        status: 'failed',
        error: { code: 'secrets_unreadable' },
      });
      expect(await ask()).toEqual([409, 'session_not_ready']);
      const logIn = await world.client.send('POST', `/v1/sessions/${name}/login`);
      expect([logIn.status, (await json(logIn)).code]).toEqual([503, 'secrets_unreadable']);
    }
    for (const member of [...world.members]) if (member.isRunning()) await world.kill(member);
    const since = stopwatch();
    await world.restore();
    for (const name of ['sealed', 'given']) {
      expect((await world.client.send('POST', `/v1/sessions/${name}/login`)).status).toBe(202);
      expect(await world.client.record({ url: pages.account.url, session: name })).toMatchObject({
        status: 'succeeded',
        title: 'Account',
      });
    }
    return `both usable ${since()} after the processes had the earlier key again`;
  });

  function secretsOf(name: string): Promise<object[]> {
    return world.rows.query('SELECT status, secrets, state, log_in FROM sessions WHERE name = $1', [name]);
  }
});
