import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json, type Json } from '../support/client.js';
import {
  findApplication,
  PASSWORD,
  startDjango,
  startDokuWiki,
  USER,
  type RealApplication,
} from '../support/real-applications.js';
import { TokenApplication, PASSWORD as TOKEN_PASSWORD } from '../support/token-application.js';

/** An application, how a person logs in to it, and what only users see. */
interface Case {
  readonly name: string;
  readonly start: () => Promise<RealApplication>;
  readonly actions: readonly Json[];
  readonly paths: { readonly logIn: string; readonly page: string };
  readonly check: string;
  readonly title: string;
}

const wiki = await findApplication('dokuwiki');
const django = await findApplication('django');

const CASES: readonly Case[] = [
  {
    name: 'a single-page application with a token in IndexedDB',
    start: () => TokenApplication.open(),
    paths: { logIn: '/', page: '/account' },
    actions: [
      { type: 'fill', selector: 'aria/Password', secret: 'password' },
      { type: 'click', selector: 'button' },
    ],
    check: '.account',
    title: 'Ada has 2 orders',
  },
  ...(wiki === undefined
    ? []
    : [
        {
          name: 'DokuWiki',
          start: () => startDokuWiki(wiki),
          paths: { logIn: '/doku.php?id=orders&do=login', page: '/doku.php?id=orders' },
          actions: [
            { type: 'fill', selector: 'input[name=u]', value: USER },
            { type: 'fill', selector: 'input[name=p]', secret: 'password' },
            { type: 'click', selector: '#dw__login button[type=submit]' },
          ],
          check: '#orders',
          title: 'orders [Wiki]',
        },
      ]),
  ...(django === undefined
    ? []
    : [
        {
          name: 'the administration of Django',
          start: () => startDjango(django),
          paths: { logIn: '/admin/login/?next=/admin/', page: '/admin/auth/user/' },
          actions: [
            { type: 'fill', selector: '#id_username', value: USER },
            { type: 'fill', selector: '#id_password', secret: 'password' },
            { type: 'click', selector: 'input[type=submit]' },
          ],
          check: '#result_list',
          title: 'Select user to change | Django site admin',
        },
      ]),
];

// Slow, because the applications are fetched and started. What a session does is tested in sessions.e2e-spec.ts.
describe.each(CASES)('a session of $name', ({ start, actions, paths, check, title }) => {
  let application: RealApplication;
  let apps: Apps;
  let client: Client;

  beforeAll(async () => {
    application = await start();
    apps = await startApps({ EGRESS_ALLOW: `127.0.0.1:${application.port}` });
    client = new Client(apps);
  }, 180_000);

  afterAll(async () => {
    await apps.stop();
    await application.close();
  }, 60_000);

  const at = (place: string): string => application.url + place;
  /** A capture that waits for what only users see. */
  const capture = (session?: string): Promise<Json> =>
    client.record({
      url: at(paths.page),
      actions: [{ type: 'wait', selector: check, timeout_ms: 5_000 }],
      timeout_ms: 60_000,
      ...(session !== undefined && { session }),
    });
  /** The next capture checks the session, as it would after `keep_alive_s`. */
  const letCheckBeDue = () =>
    apps.database.query(`UPDATE sessions SET checked_at = now() - interval '1 day'`);

  it('logs in once, and again when the application has ended it', async () => {
    const password = application instanceof TokenApplication ? TOKEN_PASSWORD : PASSWORD;
    const answer = await client.post('/v1/sessions', {
      name: 'real',
      origins: [application.url],
      login: { url: at(paths.logIn), actions, secrets: { password } },
      check: { url: at(paths.page), selector: check },
    });
    expect([answer.status, (await json(answer)).errors]).toEqual([201, undefined]);
    const first = await capture('real');
    expect(first).toMatchObject({ status: 'succeeded', title, session: { generation: 1 } });
    expect(await capture('real')).toMatchObject({ title, session: { generation: 1 } });
    application.endSessions();
    await letCheckBeDue();
    expect(await capture('real')).toMatchObject({ status: 'succeeded', title, session: { generation: 2 } });
    expect(await json(client.get('/v1/sessions/real'))).toMatchObject({ status: 'active', failures: 0 });
  }, 180_000);

  it('is needed to see the page', async () => {
    expect(await capture()).toMatchObject({ code: 'action_failed' });
  });
});
