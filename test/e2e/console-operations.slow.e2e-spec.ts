import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { CaptureClient } from '@capture-service/client';
import { startApp } from '../support/app-process.js';
import { startApps, type Apps } from '../support/apps.js';
import { ConsoleBrowser, type ConsoleVisit } from '../support/console-browser.js';
import { eventually } from '../support/eventually.js';
import { Site } from '../support/site.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

/** Markup and a character that turns the direction of text, in the path of an endpoint. */
const HOSTILE = '/bad/%3Cimg%20src=x%20onerror=alert(1)%3E/%E2%80%AEmoc.live';

const SCREENS = [
  { width: 1_440, scheme: 'light' },
  { width: 390, scheme: 'dark' },
] as const;

// CI looks at each page of the console (console-pages.e2e-spec.ts); the whole way of a person takes too long for it.
describe('usage, webhooks and status in the console', () => {
  const site = new Site({ '/': '<title>A page</title><h1>A page</h1>' });
  const receiver = new WebhookReceiver();
  let apps: Apps;
  let client: CaptureClient;
  let browser: ConsoleBrowser;
  let visit: ConsoleVisit;

  beforeAll(async () => {
    await Promise.all([site.open(), receiver.open()]);
    const allowed = `${new URL(site.url('/')).host},127.0.0.1:${receiver.port}`;
    apps = await startApps({ EGRESS_ALLOW: allowed, WEBHOOK_HTTP: 'true' });
    // Only operators see the workers.
    await apps.database.query(`UPDATE api_keys SET scopes = scopes || '{admin}'`);
    client = new CaptureClient({ baseUrl: apps.url, key: apps.key });
    browser = await ConsoleBrowser.launch(apps);
    visit = await browser.visit();
    receiver.answerOn('/bad', (response) => void response.writeHead(500).end('<script>alert(1)</script>'));
  }, 120_000);

  afterAll(async () => {
    await browser.close();
    await Promise.all([receiver.close(), site.close()]);
    await apps.stop();
  });

  afterEach(() => {
    expect(visit.complaints).toEqual([]);
  });

  /** The texts of the cells of a row of a table. */
  const rowOf = (table: string, row: string): Promise<string[]> =>
    visit.page.evaluate(
      (tableName, rowName) => {
        const rows = [...document.querySelectorAll(`[aria-label="${tableName}"] tr`)];
        const found = rows.find((each) => each.querySelector('th')?.textContent.startsWith(rowName));
        return [...(found?.querySelectorAll('td') ?? [])].map((cell) => cell.textContent);
      },
      table,
      row,
    );

  it('says first what to do about webhooks', async () => {
    await visit.open('/webhooks');
    await visit.sees('No webhook was sent yet');
    await visit.sees('Set webhook_url in a job or a batch');
  });

  it('shows the numbers of the API after captures', async () => {
    const failing = client.capture({ url: site.url('/'), selector: '#none', timeout_ms: 5_000 });
    await expect(failing).rejects.toMatchObject({ code: 'selector_not_found' });
    await client.capture({ url: site.url('/') });
    const job = await client.jobs.create({ url: site.url('/'), webhook_url: receiver.url('/ok') });
    await client.jobs.wait(job.id);
    const [now, days] = await Promise.all([client.usage(), client.usageByDay()]);
    await visit.open('/usage');
    await visit.page.waitForSelector('canvas');
    const text = await visit.text();
    expect(text).toMatch(
      new RegExp(`Used\\s+${now.used}\\s+Available\\s+${now.available.toLocaleString('en-US')}`),
    );
    const sources = days.charged_by_source;
    const counts = [days.total, days.charged, sources.sync, sources.job, sources.batch];
    expect(counts).toEqual([3, 2, 1, 1, 0]);
    const rest = [days.in_progress, days.cached, days.canceled, days.failed];
    const total = await rowOf('Usage by day', 'All 30 days');
    expect(total).toEqual([...[...counts, ...rest].map(String), 'selector_not_found 1']);
    expect(await visit.page.$$('canvas')).toHaveLength(2);
  });

  it('reads the values of a day by keyboard, also to screen readers', async () => {
    const chart = '[role=slider][aria-label^="Charged, by source"]';
    await visit.page.focus(chart);
    await visit.page.keyboard.press('End');
    const today = new Date().toISOString().slice(0, 4);
    await visit.page.waitForFunction(
      (selector, year) => {
        const value = document.querySelector(selector)?.getAttribute('aria-valuetext') ?? '';
        return value.includes(year) && value.includes('sync: requests and links 1, job 1, batch 0');
      },
      {},
      chart,
      today,
    );
    await visit.page.keyboard.press('ArrowLeft');
    await visit.page.waitForFunction(
      (selector) =>
        document.querySelector(selector)?.getAttribute('aria-valuetext')?.includes('links 0, job 0'),
      {},
      chart,
    );
    await visit.page.keyboard.press('Escape');
    await visit.page.waitForFunction(
      (selector) =>
        document.querySelector(selector)?.getAttribute('aria-valuetext')?.startsWith('All 30 days'),
      {},
      chart,
    );
  });

  it('keeps the range in its address, and shows why the API refuses one', async () => {
    await visit.page.locator('::-p-text(7 days)').click();
    await visit.sees('All 7 days');
    expect(visit.page.url()).toContain('days=7');
    await visit.open('/usage?from=2020-01-01&to=2026-01-01');
    await visit.sees('731 days');
    await visit.page.waitForSelector('[role=alert]');
  });

  it('reveals the secret, and rotates it after it said what happens', async () => {
    const { secret } = await client.webhooks.secret();
    // A rotation within the first minute of a secret changes nothing.
    await apps.database.query(`UPDATE webhook_secrets SET created_at = now() - interval '1 hour'`);
    await visit.open('/webhooks');
    await visit.sees('It is the only secret in use.');
    expect(await visit.text()).not.toContain(secret);
    await visit.click('Reveal the secret');
    await visit.sees(secret);
    await visit.click('Rotate');
    await visit.sees('The current secret also signs for 24 hours');
    await visit.click('Rotate now');
    await visit.sees('The previous secret also signs until');
    const rotated = await client.webhooks.secret();
    expect(rotated.secret).not.toBe(secret);
    await visit.sees(rotated.secret);
  });

  it('sends a test and shows the response', async () => {
    await visit.open('/webhooks');
    await visit.fill('URL of the endpoint', receiver.url('/hook'));
    await visit.click('Send a test');
    await visit.sees('204 after');
    expect(
      receiver.receivedAt('/hook').map(({ body }) => (JSON.parse(body) as { type: string }).type),
    ).toEqual(['webhook.test']);
    await visit.fill('URL of the endpoint', 'ftp://example.com');
    await visit.click('Send a test');
    await visit.page.waitForSelector('[role=alert]');
    await visit.sees('invalid_request');
  });

  it('shows a hostile endpoint and its failure as text, and replays it', async () => {
    receiver.answerOn(
      new URL(receiver.url(HOSTILE)).pathname,
      (response) => void response.writeHead(500).end('<script>'),
    );
    const { id } = await client.webhooks.test({ url: receiver.url(HOSTILE) });
    await visit.open('/webhooks?state=failed&type=webhook.test');
    await visit.page.waitForSelector(`a[href$="/webhooks/${id}"]`);
    expect(await visit.page.$$('a[href*="/webhooks/0"]')).toHaveLength(1);
    await visit.page.click(`a[href$="/webhooks/${id}"]`);
    await visit.sees('All attempts failed');
    await visit.sees('The answer was not a 2xx.');
    await visit.sees('"type": "webhook.test"');
    await visit.click('Replay');
    await visit.sees('the same webhook-id');
    receiver.answer(new URL(receiver.url(HOSTILE)).pathname, 204);
    await visit.click('Replay now');
    await visit.sees('The endpoint accepted it with a 2xx status.');
    await eventually('the log has both attempts', async () => {
      const { log } = await client.webhooks.delivery(id);
      return log.length === 2 && log[1]?.status === 204;
    });
  });

  it.each(SCREENS)('has no barriers at $width px, $scheme', async (screen) => {
    const [delivery] = (await client.webhooks.deliveryPage({ limit: 1 })).items;
    const other = await browser.visit(screen);
    for (const page of ['/usage', '/webhooks', `/webhooks/${delivery?.id}`, '/status']) {
      await other.open(page);
      await other.page.waitForFunction(
        () => document.querySelector('section') && !document.querySelector('[aria-label=Loading]'),
      );
      expect([page, await other.barriers(), await other.overflow()]).toEqual([page, [], 0]);
    }
    expect(other.complaints).toEqual([]);
    await other.close();
  });

  it('shows the worker, that the API is gone, and that it is back', async () => {
    await visit.open('/status');
    await visit.sees('Everything works.');
    const { workers, version } = await client.status();
    expect(workers).toHaveLength(1);
    await visit.sees(workers[0]?.id.slice(-12) ?? 'a worker');
    await visit.sees(`0 of ${workers[0]?.slots} slots busy`);
    await visit.sees(version.browser ?? 'a browser');
    await apps.api.stop();
    await visit.sees('The service does not answer.');
    await visit.sees('Last known');
    expect(await visit.text()).not.toContain('Everything works.');
    const back = startApp({ name: 'api', port: Number(apps.env.PORT), env: apps.env });
    try {
      await back.ready();
      await visit.sees('Everything works.');
    } finally {
      await back.stop();
    }
  });
});
