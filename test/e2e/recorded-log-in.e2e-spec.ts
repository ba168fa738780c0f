import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'puppeteer';
import { startApps, type Apps } from '../support/apps.js';
import { onService, runCli, startCli, type CliEnd } from '../support/cli.js';
import { Client, json, type Json } from '../support/client.js';
import { codeOf, LogInSite, PASSWORD, SEED } from '../support/log-in-site.js';
import { RecordedWindow } from '../support/recorded-window.js';

describe('a log-in that the command line records in a window', () => {
  let site: LogInSite;
  let apps: Apps;
  let client: Client;
  let folder: string;
  let window: RecordedWindow;

  beforeAll(async () => {
    site = await LogInSite.open();
    apps = await startApps({ EGRESS_ALLOW: `127.0.0.1:${site.port}`, WORKER_SLOTS: '1' });
    client = new Client(apps);
    folder = await mkdtemp(path.join(os.tmpdir(), 'recorded-'));
    window = await RecordedWindow.prepare(folder);
  }, 120_000);

  afterAll(async () => {
    await apps.stop();
    await site.close();
    await rm(folder, { recursive: true });
  });

  const env = (more: Readonly<Record<string, string>> = {}) => ({
    CAPTURE_CHROMIUM: window.program,
    DISPLAY: ':0',
    ...more,
  });
  const args = (name: string, ...more: string[]): string[] => [
    ...['sessions', 'create', name, '--origin', site.url, '--record', '--login-url', `${site.url}/login`],
    ...more,
  ];
  /** Records what `work` does, and presses Enter, unless the command ends by itself. */
  const record = async (
    command: string[],
    secrets: Readonly<Record<string, string>>,
    work: (page: Page) => Promise<void>,
    endsByItself = false,
  ): Promise<CliEnd> => {
    const { child, ended } = startCli(command, onService(apps, folder, { input: null, env: env(secrets) }));
    try {
      await Promise.race([window.use(`${site.url}/login`, work), ended]);
      if (endsByItself) await ended;
    } finally {
      // A window that stays open would keep the port of the next one.
      child.stdin?.end('\n');
      await ended;
    }
    return ended;
  };
  const read = async (file: string): Promise<Json> =>
    JSON.parse(await readFile(path.join(folder, file), 'utf8')) as Json;

  /** Logs in with the pointer and the keyboard. */
  const logIn = async (page: Page): Promise<void> => {
    await page.click('#user');
    await page.keyboard.type('adx');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('a');
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.click('#code');
    await page.keyboard.type(codeOf());
    await page.keyboard.press('Enter');
    await page.waitForSelector('.welcome');
  };

  it('is saved as a recording and a state, of which the session is made that logs in again by itself', async () => {
    const secretFlags = ['--secret-env', 'password=SHOP_PASSWORD', '--secret-env', 'code=SHOP_SEED'];
    const check = ['--check-url', `${site.url}/account`, '--check-selector', '.account'];
    const secrets = { SHOP_PASSWORD: PASSWORD, SHOP_SEED: SEED };
    const end = await record(args('shop', ...secretFlags, ...check), secrets, logIn);
    expect(end).toMatchObject({ code: 0, stderr: expect.stringContaining('shop.state.json') });
    const url = `${site.url}/login`;
    expect(JSON.parse(end.stdout)).toMatchObject({ name: 'shop', status: 'active', login_url: url });

    const { title, steps } = (await read('shop.recording.json')) as { title: string; steps: Json[] };
    const [user, password, code] = ['#user', '#password', '#code'].map((css) =>
      expect.arrayContaining([[css], [expect.stringMatching(/^xpath\/\/html/)]]),
    );
    expect([title, steps]).toMatchObject([
      'shop',
      [
        { type: 'navigate', url },
        { type: 'click', target: 'main', selectors: user, offsetX: expect.any(Number) },
        { type: 'change', selectors: user, value: 'ada' },
        { type: 'keyDown', key: 'Tab' },
        { type: 'keyUp', key: 'Tab' },
        { type: 'change', selectors: password, secret: 'password' },
        { type: 'click', selectors: code },
        { type: 'change', selectors: code, totp: 'code' },
        { type: 'keyDown', key: 'Enter' },
        { type: 'keyUp', key: 'Enter' },
      ],
    ]);
    expect(steps[1]?.selectors).toContainEqual(['aria/Name']);
    expect(await read('shop.state.json')).toMatchObject({
      cookies: [{ name: 'sid', value: site.sids.at(-1), httpOnly: true, sameSite: 'Lax' }],
      origins: [
        {
          origin: site.url,
          localStorage: [{ name: 'theme', value: 'dark' }],
          indexedDB: expect.arrayContaining([expect.objectContaining({ name: 'tokens', version: 3 })]),
        },
      ],
    });
    for (const file of ['shop.recording.json', 'shop.state.json']) {
      expect((await stat(path.join(folder, file))).mode & 0o777).toBe(0o600);
      expect(await readFile(path.join(folder, file), 'utf8')).not.toContain(PASSWORD);
    }
    expect(end.stderr + end.stdout).not.toContain(PASSWORD);

    // First with the state of the window, then with the log-in that the recording is.
    const orders = { url: `${site.url}/orders`, session: 'shop', timeout_ms: 60_000 };
    expect(await client.record(orders)).toMatchObject({ title: 'Account /orders seen 0' });
    const before = site.logIns;
    site.endSessions();
    expect(await client.record(orders)).toMatchObject({
      title: 'Account /orders seen 1',
      session: { generation: 2 },
    });
    expect(site.logIns).toBe(before + 1);
  }, 180_000);

  it('without its secrets gives a session that ends with its state', async () => {
    const end = await record(args('once'), {}, async (page) => {
      await page.click('#password');
      await page.keyboard.type(PASSWORD);
      await page.click('#in');
      await page.waitForSelector('#problem:not(:empty)');
    });
    expect(end).toMatchObject({ code: 0, stderr: expect.stringContaining('--secret-env password=VARIABLE') });
    expect(await json(client.get('/v1/sessions/once'))).toMatchObject({ status: 'active', login_url: null });
    expect(await readFile(path.join(folder, 'once.recording.json'), 'utf8')).not.toContain(PASSWORD);
  }, 180_000);

  it('says what is missing before a person works', async () => {
    await writeFile(path.join(folder, 'kept.state.json'), '{}');
    const refused = async (command: string[], more: Readonly<Record<string, string>>): Promise<unknown> => {
      const { code, stdout, stderr } = await runCli(command, onService(apps, folder, { env: more }));
      expect([code, stdout]).toEqual([2, '']);
      return stderr;
    };
    expect(await refused(args('a'), { CAPTURE_CHROMIUM: window.program })).toContain('there is no display');
    expect(await refused(args('a'), env({ CAPTURE_CHROMIUM: '/none' }))).toContain(
      '/none, which is no program',
    );
    expect(await refused(args('a'), env({ CAPTURE_CHROMIUM: '', PATH: folder + '/none' }))).toContain(
      'install one',
    );
    expect(await refused(args('kept'), env())).toContain('kept.state.json exists');
    expect(await refused(args('a', '--from-state', 'b.json'), env())).toContain('leave them out');
    expect(await refused(args('a', '--secrets', '-'), env())).toContain('standard input');
  });

  it('is nothing when the browser ends before Enter', async () => {
    const close = async (page: Page): Promise<void> => {
      const cdp = await page.createCDPSession();
      await cdp.send('Browser.close');
    };
    const end = await record(args('closed'), {}, close, true);
    expect(end).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('nothing was saved') });
  }, 60_000);
});
