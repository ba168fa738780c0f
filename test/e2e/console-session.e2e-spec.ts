import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startApps, type Apps } from '../support/apps.js';
import { eventually } from '../support/eventually.js';
import { ConsoleBrowser, logInLink, type ConsoleVisit } from '../support/console-browser.js';

describe('the session of the console', () => {
  let apps: Apps;
  let browser: ConsoleBrowser;
  let visit: ConsoleVisit | undefined;

  beforeAll(async () => {
    apps = await startApps();
    browser = await ConsoleBrowser.launch(apps);
  });

  afterAll(async () => {
    await browser.close();
    await apps.stop();
  });

  afterEach(async () => {
    expect(visit?.complaints ?? []).toEqual([]);
    await visit?.close();
    visit = undefined;
  });

  /** A key of a new account with an allowance of 77. */
  const newKey = async (account: string): Promise<string> => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['dist/scripts/keys.js', 'create', '--account', account, '--allowance', '77', '--json'],
      { env: { ...process.env, ...apps.env } },
    );
    return (JSON.parse(stdout) as { key: string }).key;
  };

  it('begins with a link, which works once', async () => {
    const link = await logInLink(apps.url, apps.key);
    visit = await browser.visit({ key: null });
    await visit.page.goto(link);
    await visit.page.waitForSelector('nav');
    expect(visit.page.url()).toBe(`${apps.url}/console/captures`);
    const second = await browser.visit({ key: null });
    await second.page.goto(link);
    await second.sees('The link has expired or was used before');
    await second.close();
  });

  it('begins with a key, which the browser does not keep', async () => {
    visit = await browser.visit({ key: null });
    await visit.fill('API key', apps.key);
    await visit.click('Log in');
    await visit.page.waitForSelector('nav');
    const kept = await visit.page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    expect(kept).not.toContain(apps.key.slice(21));
    const [cookie] = await visit.page.browserContext().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/console' });
    expect(cookie?.value).not.toContain('cap_');
  });

  it('refuses a wrong key with the text of the problem', async () => {
    visit = await browser.visit({ key: null });
    await visit.fill('API key', 'cap_wrong');
    await visit.click('Log in');
    await visit.sees('The log-in failed');
    await visit.sees('unauthorized');
  });

  it('shows the data of the account that is chosen, and leaves one of several', async () => {
    const other = await newKey('second');
    visit = await browser.visit();
    await visit.open('/usage');
    await visit.sees('10,000');
    await visit.page.click('[aria-label^="Account default"]');
    await visit.click('Add another key');
    await visit.fill('API key', other);
    await visit.click('Log in');
    await visit.page.waitForSelector('[aria-label^="Account second"]');
    await visit.open('/usage');
    await visit.sees('77');
    await visit.page.click('[aria-label^="Account second"]');
    await visit.click('default · default');
    await visit.page.waitForSelector('[aria-label^="Account default"]');
    await visit.sees('10,000');
    await visit.page.click('[aria-label^="Account default"]');
    await visit.click('Log out');
    await visit.sees('API key');
    expect(await visit.text()).not.toContain('has ended');
    await visit.open('/usage');
    await visit.sees('API key');
  });

  it('asks before a link adds its account to a session', async () => {
    const link = await logInLink(apps.url, await newKey('stranger'));
    visit = await browser.visit();
    await visit.page.goto('about:blank');
    await visit.page.goto(link);
    await visit.sees('You are logged in already');
    await visit.click('Continue without it');
    await visit.page.waitForSelector('[aria-label^="Account default"]');
    await visit.page.goto('about:blank');
    await visit.page.goto(link);
    await visit.click('Add the account');
    await visit.page.waitForSelector('[aria-label^="Account stranger"]');
  });

  it('ends in the middle of work when its key is revoked, and goes on after the next log-in', async () => {
    const key = await newKey('revoked');
    visit = await browser.visit({ key });
    await visit.open('/webhooks');
    await visit.page.waitForSelector('h1');
    await apps.database.query(`UPDATE api_keys SET revoked_at = now() WHERE id = $1`, [key.slice(4, 20)]);
    await visit.sees('The session has ended, or its key was revoked');
    await visit.fill('API key', apps.key);
    await visit.click('Log in');
    await visit.page.waitForSelector('nav');
    expect(visit.page.url()).toBe(`${apps.url}/console/webhooks`);
  });

  it('downloads a captured page whose address is opened, and runs nothing of it', async () => {
    visit = await browser.visit();
    const html = `<title>captured</title><h1>shown</h1><script>document.title = 'ran'</script>
      <img src="x:" onerror="document.title = 'ran'"><svg onload="document.title = 'ran'"></svg>`;
    const response = await fetch(`${apps.url}/v1/jobs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apps.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ html, format: 'html' }),
    });
    const { id } = (await response.json()) as { id: string };
    const result = `/v1/captures/${id}/result`;
    const read = () => fetch(`${apps.url}${result}`, { headers: { authorization: `Bearer ${apps.key}` } });
    await eventually('the page is captured', async () => (await read()).ok);
    expect(await (await read()).text()).toContain('<script>');
    const { page } = visit;
    // The browser downloads it instead of opening it.
    const opening = page.goto(`${apps.url}/console/keys/${apps.key.slice(4, 20)}${result}`);
    await expect(opening).rejects.toThrow('net::ERR_ABORTED');
    expect(await page.title()).not.toBe('ran');
    expect(page.url()).not.toContain('/result');
    const policy = (await read()).headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'; .*; sandbox$/);
  });

  it('loads at most 300 kB of compressed scripts for the first view, all from the service', async () => {
    visit = await browser.visit({ key: null });
    let bytes = 0;
    await visit.page.setCacheEnabled(false);
    visit.page.on('response', (response) => {
      if (response.url().endsWith('.js')) bytes += Number(response.headers()['content-length']);
    });
    await visit.page.goto(await logInLink(apps.url, apps.key), { waitUntil: 'networkidle2' });
    await visit.page.waitForSelector('h1');
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(300_000);
  });

  it('has no barriers at the log-in', async () => {
    for (const scheme of ['light', 'dark'] as const) {
      visit = await browser.visit({ key: null, scheme, width: 390 });
      expect(await visit.barriers()).toEqual([]);
      expect(await visit.overflow()).toBe(0);
      if (scheme === 'light') await visit.close();
    }
  });
});
