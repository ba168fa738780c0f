import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startApps, type Apps } from '../support/apps.js';
import { ConsoleBrowser, type ConsoleVisit } from '../support/console-browser.js';
import { eventually } from '../support/eventually.js';

const WIDTHS = [390, 768, 1_280];
const KEY = /cap_[0-9A-Za-z]{16}_[\w-]+/;

// The routes behind the pages are tested by apps/api/src/admin and apps/api/src/scopes.int-spec.ts.
// CI looks at each page of the console (console-pages.e2e-spec.ts); the whole way of a person takes too long for it.
describe('the pages of the console for operators', () => {
  let apps: Apps;
  let browser: ConsoleBrowser;
  let visit: ConsoleVisit | undefined;

  beforeAll(async () => {
    apps = await startApps();
    await apps.database.query(`UPDATE api_keys SET scopes = scopes || '{admin}'`);
    browser = await ConsoleBrowser.launch(apps);
  }, 120_000);

  afterAll(async () => {
    await browser.close();
    await apps.stop();
  });

  afterEach(async () => {
    expect(visit?.complaints ?? []).toEqual([]);
    await visit?.close();
    visit = undefined;
  });

  const begin = async (key?: string): Promise<ConsoleVisit> => {
    visit = await browser.visit(key === undefined ? {} : { key });
    return visit;
  };
  /** The page is as wide as the window at each width, and readable for everyone. */
  const isSound = async (person: ConsoleVisit, name: string): Promise<void> => {
    for (const width of WIDTHS) {
      await person.resize({ width, scheme: 'light' });
      // Charts take their new size a moment later.
      await eventually(`${name} fits into ${width} px`, async () => (await person.overflow()) === 0);
      expect([name, width, await person.barriers()]).toEqual([name, width, []]);
      const folder = process.env.CONSOLE_PICTURES;
      if (folder)
        await person.page.screenshot({
          path: path.join(folder, `admin-${name}-${width}.png`),
          fullPage: true,
        });
    }
  };
  const newAccount = async (person: ConsoleVisit, name: string): Promise<string> => {
    await person.open('/admin/accounts/new');
    await person.fill('Name', name);
    await person.click('Create the account');
    await person.sees('It accepts new work.');
    return person.page.url().split('/').at(-1) ?? '';
  };
  const newKey = async (person: ConsoleVisit, accountId: string): Promise<string> => {
    await person.open(`/admin/keys/new?account=${accountId}`);
    await person.fill('Name', 'shop');
    await person.click('Create the key');
    return shownKey(person);
  };
  const shownKey = async (person: ConsoleVisit): Promise<string> => {
    await person.sees('Copy it now');
    const [key = ''] = KEY.exec(await person.text()) ?? [];
    return key;
  };
  const statusOf = async (key: string, route = '/v1/usage'): Promise<number> =>
    (await fetch(apps.url + route, { headers: { authorization: `Bearer ${key}` } })).status;

  it('create an account, change its limits, pause and resume it', async () => {
    const person = await begin();
    await person.open('/admin/accounts');
    await person.sees('default');
    await isSound(person, 'accounts');
    await person.click('New account');
    await isSound(person, 'new-account');
    await person.fill('Name', 'acme');
    await person.fill('Captures kept', 'ten');
    await person.sees('must be a whole number');
    await person.fill('Captures kept', '10');
    await person.click('Create the account');
    await person.sees('It accepts new work.');
    await person.sees('The account has no keys');
    await isSound(person, 'account');
    await person.fill('Concurrency', '3');
    await person.page.locator('::-p-aria([name="Captures kept"])').click({ count: 3 });
    await person.page.keyboard.press('Backspace');
    await person.click('Save the settings');
    await person.sees('Saved.');
    await person.page.reload();
    await person.sees('It accepts new work.');
    const read = (label: string) =>
      person.page.$eval(`::-p-aria([name="${label}"])`, (input) => (input as HTMLInputElement).value);
    expect(await read('Concurrency')).toBe('3');
    expect(await read('Captures kept')).toBe('');
    await person.click('Pause');
    await person.click('Pause now');
    await person.sees('It accepts nothing new.');
    await person.click('Resume');
    await person.sees('It accepts new work.');
  });

  it('create a key that is shown once, rotate it with an overlap, and revoke it', async () => {
    const person = await begin();
    await newAccount(person, 'with-keys');
    await person.click('New key');
    await person.sees('For the account with-keys.');
    await person.open('/admin/keys/new');
    await person.page.locator('::-p-aria([name="Account"][role="combobox"])').click();
    await person.page.locator('::-p-aria([name="with-keys"][role="option"])').click();
    await person.fill('Name', 'shop');
    await person.fill('Hosts that it may capture', 'https://shop.example/');
    await isSound(person, 'new-key');
    await person.click('Create the key');
    await person.sees('allowed_hosts');
    await person.fill('Hosts that it may capture', '*.shop.example');
    await person.click('Create the key');
    const key = await shownKey(person);
    await isSound(person, 'shown-key');
    expect(await statusOf(key)).toBe(200);
    await person.click('I have copied it');
    await person.sees('Requests with it are accepted.');
    expect(await person.page.content()).not.toContain(key);
    await person.sees('*.shop.example');
    await person.fill('Addresses from which it may be used', '127.0.0.0/8');
    await person.click('Save the limits');
    await person.sees('Saved.');
    await person.sees('127.0.0.0/8');
    await isSound(person, 'key');
    await person.click('Rotate');
    await person.click('Rotate now');
    const next = await shownKey(person);
    expect(next).not.toBe(key);
    expect(await statusOf(next)).toBe(200);
    expect(await statusOf(key)).toBe(200);
    await person.sees('Secret before works until');
    await person.page.waitForSelector('[role=dialog]', { hidden: true });
    await person.click('Revoke');
    await person.click('Revoke now');
    await person.sees('It works no more.');
    await person.open('/admin/keys');
    await person.sees('revoked');
    await person.sees('with-keys');
    await isSound(person, 'keys');
  });

  it('show who changed what, before and after', async () => {
    const person = await begin();
    const account = await newAccount(person, 'audited');
    await person.fill('Concurrency', '4');
    await person.click('Save the settings');
    await person.sees('Saved.');
    await person.page.locator('main a[href*="/admin/audit"]').click();
    await person.sees('Account changed');
    await person.page.locator('main tbody button').click();
    await person.page.waitForSelector('[aria-label="Fields before and after"]');
    const fields = await person.page.$eval('[aria-label="Fields before and after"] tbody', (rows) =>
      [...rows.querySelectorAll('th, td')].map(({ textContent }) => textContent),
    );
    expect(fields).toEqual(['concurrency', '10', '4']);
    await isSound(person, 'audit');
    await person.open(`/admin/audit?account_id=${account}&action=key.revoked`);
    await person.sees('No change matches');
    await person.click('Show all changes');
    await person.sees('Account created');
  });

  it('show the usage by account and day, and save it as CSV', async () => {
    const person = await begin();
    await person.open('/admin/usage');
    await person.sees('default');
    await isSound(person, 'usage');
    const csv = await person.page.evaluate(async () => {
      const link = document.querySelector<HTMLAnchorElement>('a[download]');
      const response = await fetch(link?.href ?? '');
      return [response.headers.get('content-type'), (await response.text()).split('\r\n')[0]];
    });
    expect(csv[0]).toMatch(/^text\/csv/);
    expect(csv[1]).toMatch(/^account_id,account,day,/);
    await person.page.locator('main table a').click();
    await person.sees('By day');
    await isSound(person, 'usage-of-account');
  });

  it('drain a worker, cancel a batch that waits, and resume the worker', async () => {
    const person = await begin();
    await person.open('/admin/workers');
    await person.sees('It takes captures.');
    await person.click('Drain');
    await person.click('Drain now');
    await person.sees('It has ended its captures, and can be stopped.');
    const rows = { items: Array.from({ length: 3 }, () => ({ url: 'https://shop.example/' })) };
    const made = await fetch(`${apps.url}/v1/bulk/json`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apps.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(rows),
    });
    expect(made.status).toBe(202);
    await isSound(person, 'workers');
    await person.open('/admin/queue');
    await person.sees('shop.example');
    await isSound(person, 'queue');
    // The cell of the button has the same name.
    await person.page.locator('::-p-aria([name="Cancel all"][role="button"])').click();
    await person.sees('The 3 rows of default');
    await person.click('Cancel all now');
    await person.sees('No batch is in progress.');
    await person.open('/admin/workers');
    await person.click('Resume');
    await person.sees('It takes captures.');
  });

  it('show the settings in force and the history of health', async () => {
    const person = await begin();
    await person.open('/admin/settings');
    await person.sees('DATABASE_URL');
    await isSound(person, 'settings');
    expect(await person.page.content()).not.toContain(apps.env.SECRETS_KEY);
    await person.fill('Find a setting', 'audit trail');
    await person.sees('31536000');
    expect(await person.text()).not.toContain('DATABASE_URL');
    await apps.database.query(
      `INSERT INTO health_changes (dependency, at, status, error) VALUES
         ('storage', now() - interval '6 days', 'ok', NULL), ('storage', now() - interval '26 hours', 'down', 'does not respond'),
         ('storage', now() - interval '25 hours', 'ok', NULL)`,
    );
    await person.open('/admin/health');
    await person.sees('does not respond, for 1 h 0 min');
    await isSound(person, 'health');
  });

  it('delete an account after its name was typed, and say when it is gone', async () => {
    const person = await begin();
    const account = await newAccount(person, 'short-lived');
    const key = await newKey(person, account);
    await person.open(`/admin/accounts/${account}`);
    await person.click('Delete');
    await person.sees('Name of the account, to confirm');
    const isOff = () =>
      person.page.$eval('::-p-aria(Delete now)', (button) => (button as HTMLButtonElement).disabled);
    expect(await isOff()).toBe(true);
    await isSound(person, 'delete');
    await person.fill('Name of the account, to confirm', 'short-lived');
    await person.click('Delete now');
    await person.sees('The account is deleted');
    expect(await statusOf(key)).toBe(401);
    expect(await statusOf(apps.key, `/v1/admin/accounts/${account}`)).toBe(404);
    await person.open('/admin/accounts');
    await person.sees('default');
    expect(await person.text()).not.toContain('short-lived');
  });

  it('are for keys with the scope admin only', async () => {
    const operator = await begin();
    const key = await newKey(operator, await newAccount(operator, 'visitor'));
    await operator.close();
    const person = await begin(key);
    await person.open('');
    await person.sees('Sessions');
    expect(await person.page.$('nav a[href*="/admin/"]')).toBeNull();
    const pages = ['accounts', 'accounts/new', 'keys', 'keys/new', 'usage', 'audit'];
    for (const page of [...pages, 'workers', 'queue', 'settings', 'health']) {
      await person.open(`/admin/${page}`);
      await person.sees('This page is for operators');
    }
    await person.open('/status');
    await person.sees('this account');
    expect(await person.text()).not.toContain('slots busy');
  });

  it('come first for a key that may do nothing else', async () => {
    const operator = await begin();
    const key = await newKey(operator, await newAccount(operator, 'operators'));
    await operator.close();
    await apps.database.query(`UPDATE api_keys SET scopes = '{admin}' WHERE id = $1`, [key.slice(4, 20)]);
    const person = await begin(key);
    await person.open('');
    await person.sees('Who uses the service');
    const names = await person.page.$$eval('nav[aria-label=Pages] a', (links) =>
      links.map(({ textContent }) => textContent),
    );
    expect(names).toEqual([
      ...['Status', 'Accounts', 'Keys', 'Usage of accounts', 'Audit trail'],
      ...['Workers', 'Queue', 'Settings', 'Health'],
    ]);
  });
});
