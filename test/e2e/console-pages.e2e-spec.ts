import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json, type Json } from '../support/client.js';
import { ConsoleBrowser, type ConsoleVisit } from '../support/console-browser.js';
import { CrawlSite, page } from '../support/crawl-site.js';
import { eventually } from '../support/eventually.js';

const WIDTHS = [390, 1_280];
/** The page of each path that the console knows, as its source has it. */
const PAGES = Array.from(
  readFileSync('apps/console/src/shell/pages.tsx', 'utf8').matchAll(/path: '([^']+)',\s+page:/g),
  ([, path = '']) => path,
);
/** Its request holds no capture, only a look at two of them. */
const WITH_QUERY: Readonly<Record<string, string>> = { '/captures/compare': '?a=:capture&b=:capture' };

// What people do on these pages is tested by the slow specs of the console, for which CI has no time.
describe('each page of the console', () => {
  const site = new CrawlSite();
  let apps: Apps;
  let client: Client;
  let browser: ConsoleBrowser;
  let visit: ConsoleVisit;
  /** The id of one record of each kind, by the part of the path before it. */
  let ids: Readonly<Record<string, string>>;

  beforeAll(async () => {
    await site.open();
    site.describe({ '/': page(['/about'], { title: 'Home' }), '/about': page([]), '/hook': page([]) });
    apps = await startApps({ EGRESS_ALLOW: `127.0.0.1:${site.port}`, WEBHOOK_HTTP: 'true' });
    await apps.database.query(`UPDATE api_keys SET scopes = scopes || '{admin}'`);
    client = new Client(apps);
    ids = await addRecords();
    browser = await ConsoleBrowser.launch(apps);
    visit = await browser.visit();
    await visit.open('/status');
  }, 120_000);

  afterAll(async () => {
    await browser.close();
    await apps.stop();
    await site.close();
  });

  /** A record of each kind that has a page of its own. */
  async function addRecords(): Promise<Record<string, string>> {
    const url = `${site.origin}/`;
    const made = async (path: string, body: Json): Promise<string> => {
      const response = await client.post(path, body);
      const record = await json(response);
      expect([path, response.ok, record]).toEqual([path, true, expect.anything()]);
      return String(record.id);
    };
    const first = async (path: string): Promise<string> =>
      String(((await json(client.get(path))).items as Json[])[0]?.id);
    const captures = await made('/v1/jobs', { url });
    const batches = await made('/v1/bulk/json', { items: [{ url }, { url: `${url}about` }] });
    const crawls = await made('/v1/crawls', { url });
    const sessions = await made('/v1/sessions', {
      name: 'shop',
      origins: [site.origin],
      state: { cookies: [], origins: [] },
    });
    const capture = { url };
    const monitors = await made('/v1/monitors', { name: 'home', schedule: { every_s: 86_400 }, capture });
    const webhooks = await made('/v1/webhooks/test', { url: `${url}hook` });
    const [accounts, keys] = await Promise.all(['/v1/admin/accounts', '/v1/admin/keys'].map(first));
    const hasEnded = async (path: string): Promise<boolean> =>
      ['succeeded', 'completed'].includes(String((await json(client.get(`/v1/${path}`))).status));
    for (const path of [`jobs/${captures}`, `bulk/${batches}`, `crawls/${crawls}`])
      await eventually(`${path} has ended`, () => hasEnded(path), 60_000);
    const checkOf = async (): Promise<Json | null> =>
      (await json(client.get(`/v1/monitors/${monitors}`))).last_check as Json | null;
    await eventually('the monitor was checked', async () => (await checkOf())?.outcome === 'same', 60_000);
    const usage = accounts;
    return { captures, batches, crawls, sessions, monitors, webhooks, accounts, keys, usage } as Record<
      string,
      string
    >;
  }

  const addressOf = (path: string): string =>
    (path + (WITH_QUERY[path] ?? ''))
      .replaceAll(':capture', ids.captures ?? '')
      .replace(/(\w+)\/:id/, (_, kind: string) => `${kind}/${ids[kind]}`);

  it.each(PAGES)('is sound: %s', async (path) => {
    await visit.goTo(addressOf(path));
    await visit.rests();
    const isThere = await visit.page.$('main h1');
    expect([path, isThere === null, await visit.text()]).toEqual([
      path,
      false,
      expect.not.stringMatching(/there is no such page|something went wrong/i),
    ]);
    for (const width of WIDTHS) {
      await visit.resize({ width, scheme: 'light' });
      await eventually(`it fits into ${width} px`, async () => (await visit.overflow()) === 0);
    }
    expect([path, await visit.barriers(), visit.complaints]).toEqual([path, [], []]);
  });
});
