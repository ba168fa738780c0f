import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout } from 'node:timers/promises';
import { startApp } from '../support/app-process.js';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json } from '../support/client.js';
import { ConsoleBrowser, type ConsoleVisit } from '../support/console-browser.js';
import { startFixtureSite, type FixtureSite } from '../support/fixture-site.js';

/** It must stay a text wherever it is shown, and turn no other text around. */
const HOSTILE = '<img src=x onerror=document.title="owned"> \u202egnp';
const SCREENS = [
  { width: 1_440, scheme: 'light' },
  { width: 390, scheme: 'dark' },
] as const;

describe('batches of the console', () => {
  let site: FixtureSite;
  let apps: Apps;
  let client: Client;
  let browser: ConsoleBrowser;
  let visit: ConsoleVisit | undefined;

  beforeAll(async () => {
    site = await startFixtureSite();
    apps = await startApps({ EGRESS_ALLOW: `127.0.0.1:${site.port}`, WORKER_SLOTS: '4' });
    client = new Client(apps);
    browser = await ConsoleBrowser.launch(apps);
  }, 120_000);

  afterAll(async () => {
    await browser.close();
    await apps.stop();
    await site.close();
  });

  afterEach(async () => {
    const complaints = visit?.complaints ?? [];
    await visit?.close();
    visit = undefined;
    expect(complaints).toEqual([]);
  });

  const open = async (path: string): Promise<ConsoleVisit> => {
    visit = await browser.visit();
    await visit.open(path);
    return visit;
  };
  /** Clicks a tab or a choice by the beginning of its text. */
  const choose = ({ page }: ConsoleVisit, text: string): Promise<void> =>
    page.locator(`:is(label, [role=tab], [role=option]) ::-p-text(${text})`).click();
  const drop = ({ page }: ConsoleVisit, name: string, file: string | Buffer): Promise<void> =>
    page
      .locator('[aria-label="Drop zone"]')
      .waitHandle()
      .then((zone) =>
        zone.evaluate(
          (element, file, content) => {
            const dataTransfer = new DataTransfer();
            const bytes = Uint8Array.from(content, (sign) => sign.charCodeAt(0));
            dataTransfer.items.add(new File([bytes], file));
            element.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }));
          },
          name,
          Buffer.from(file).toString('latin1'),
        ),
      );
  const paste = async (seen: ConsoleVisit, lines: readonly string[]): Promise<void> => {
    await choose(seen, 'Paste');
    await seen.page.locator('::-p-aria(URLs or rows)').click();
    await seen.page.keyboard.sendCharacter(lines.join('\n'));
    await seen.click('Check the rows');
  };
  const submit = async (seen: ConsoleVisit, label: string): Promise<string> => {
    await seen.sees(label);
    await seen.click(label);
    await seen.page.waitForFunction(() => /\/batches\/[0-9a-f-]{36}$/.test(location.pathname));
    return seen.page.url().split('/').at(-1) ?? '';
  };
  const batches = async (): Promise<readonly { id: string }[]> =>
    (await json(client.get('/v1/bulk'))).items as { id: string }[];
  it('say what to do first', async () => {
    const seen = await open('/batches');
    await seen.sees('No batches yet');
    await seen.click('New batch');
    await seen.sees('Drop a CSV here');
  });

  it('are corrected, submitted once, followed to the end, retried and downloaded', async () => {
    const seen = await open('/batches/new');
    const csv = [
      'Link,Name,widht,remarks',
      `${site.url}/bands.html,home,400,a`,
      `${site.url}/status/404,${HOSTILE.replaceAll('"', "'")},,b`,
      `htp:/${HOSTILE.replaceAll('"', '')},broken,,c`,
      `${site.url}/quiet.html,small,9000,d`,
    ].join('\r\n');
    await drop(seen, 'pages.csv', csv);
    await seen.sees('4 of 4 columns are not named like an option');
    await seen.sees('The batch would be refused');
    await seen.click('Use the suggestions');
    await seen.sees('1 of 4 columns is not named like an option');
    await seen.click('Leave it out');
    await seen.sees('2 of 4 rows are valid');
    await choose(seen, 'Faults');
    await seen.sees('out_of_range');
    await seen.sees('must be an http or https URL');
    await seen.fill('Filter the faults', '9000');
    await seen.sees('1 of 2 faults');
    expect(await seen.text()).not.toContain('must be an http or https URL');
    expect(await seen.barriers()).toEqual([]);
    await seen.fill('Add an option for all rows', 'fail_on_status');
    await choose(seen, 'fail_on_status');
    await seen.fill('fail_on_status', '4xx');
    await choose(seen, 'Skip the row');
    await seen.sees('Submit 2 rows');
    expect(await batches()).toEqual([]);
    await seen.page.evaluate(() => {
      const button = [...document.querySelectorAll('button')].find((each) =>
        each.innerText.startsWith('Submit'),
      );
      button?.click();
      button?.click();
    });
    await seen.sees('4 of 4 rows have ended');
    expect(await batches()).toHaveLength(1);
    await choose(seen, 'Failed 3');
    await seen.sees('target_http_error');
    await seen.sees('viewport_width must be a whole number between 16 and 7680');
    await seen.sees('<img src=x');
    expect(await seen.page.title()).toBe('Batch · Capture Service');
    await seen.click('Retry 1 failed row');
    await seen.sees('This batch retries the failed rows of an earlier batch');
    await seen.sees('1 of 1 rows have ended');
    await seen.click('an earlier batch');
    await seen.sees('retried in a later batch: 0 of 1 succeeded.');
    await seen.click('Download');
    await seen.sees('All files as ZIP');
    const files = await seen.page.evaluate(async () => {
      const links = [...document.querySelectorAll<HTMLAnchorElement>('[role=menuitem][href]')];
      return Promise.all(links.map(async ({ href }) => (await (await fetch(href)).text()).slice(0, 13)));
    });
    expect(files).toEqual(['row,reference', expect.stringMatching(/^PK/)]);
    await seen.click('Submit again');
    await seen.sees('2 of 4 rows are left out: they were not valid');
    await seen.sees('All 2 rows are valid');
  });

  it.each(SCREENS)('have no barriers at $width px, $scheme', async (screen) => {
    const [retry] = await batches();
    const pages = [
      [`/batches/${retry?.id ?? ''}`, 'This batch retries'],
      [`/batches/${retry?.id ?? ''}?status=failed`, 'target_http_error'],
      ['/batches', 'retry of another batch'],
      ['/batches/new', 'Drop a CSV here'],
    ] as const;
    visit = await browser.visit(screen);
    for (const [path, text] of pages) {
      await visit.open(path);
      await visit.sees(text);
      expect({ path, barriers: await visit.barriers() }).toEqual({ path, barriers: [] });
      expect({ path, overflow: await visit.overflow() }).toEqual({ path, overflow: 0 });
    }
  });

  it('are pasted as URLs, and canceled', async () => {
    const seen = await open('/batches/new');
    const pages = Array.from({ length: 6 }, (_, i) => `${site.url}/hang?${HOSTILE.slice(0, 24)}&${i}`);
    await paste(seen, ['# hanging pages', ...pages]);
    await seen.sees('All 6 rows are valid');
    const id = await submit(seen, 'Submit 6 rows');
    await choose(seen, 'Running');
    await seen.click('Cancel the batch');
    await seen.sees('6 rows have not ended.');
    expect(await seen.barriers()).toEqual([]);
    await seen.click('Cancel 6 rows');
    await seen.sees('6 of 6 rows have ended');
    expect(await json(client.get(`/v1/bulk/${id}`))).toMatchObject({ status: 'canceled' });
  });

  it('are accepted without taking a person back who left meanwhile', async () => {
    const seen = await open('/batches/new');
    await paste(seen, [`${site.url}/bands.html?left`]);
    await seen.sees('Submit 1 row');
    const before = (await batches()).length;
    const accepted = seen.page.waitForResponse((response) => response.status() === 202);
    await seen.page.evaluate(() => {
      [...document.querySelectorAll('button')].find(({ innerText }) => innerText === 'Submit 1 row')?.click();
      document.querySelector<HTMLAnchorElement>('nav a[href$="/usage"]')?.click();
    });
    await accepted;
    expect(await batches()).toHaveLength(before + 1);
    await seen.sees('One capture is one unit.');
    // The page of the batch would be opened as soon as the response is read.
    await setTimeout(500);
    expect(new URL(seen.page.url()).pathname).toBe('/console/usage');
  });

  it('take files of spreadsheets: UTF-16, without a header', async () => {
    const seen = await open('/batches/new');
    const text = `${site.url}/bands.html\thome\r\n${site.url}/quiet.html\tshop\r\n`;
    await drop(seen, 'pages.csv', Buffer.from(`\ufeff${text}`, 'utf16le'));
    await seen.sees('1 of 2 columns is not named like an option');
    await seen.click('Leave it out');
    await seen.sees('All 2 rows are valid');
  });

  it('are checked with one request when they are thousands, and with none when only the choice changes', async () => {
    const seen = await open('/batches/new');
    const checks: string[] = [];
    seen.page.on('request', (request) => {
      if (request.url().includes('dry_run=true')) checks.push(request.url());
    });
    const rows = Array.from({ length: 5_000 }, (_, i) => `${site.url}/bands.html?${i},${100 + (i % 900)}`);
    await drop(seen, 'pages.csv', ['url,delay_ms', ...rows].join('\n'));
    await seen.sees('All 5,000 rows are valid');
    await choose(seen, 'Skip');
    await seen.sees('Submit 5,000 rows');
    expect(checks).toHaveLength(1);
  });

  it('ask before a reload loses the rows that were chosen, and name them afterwards', async () => {
    const seen = await open('/batches/new');
    await paste(seen, [`${site.url}/bands.html`]);
    await seen.sees('The row is valid');
    await seen.page.reload();
    expect(seen.questions).toEqual(['beforeunload']);
    await seen.sees('The page was reloaded, so the rows of Pasted URLs have to be chosen again.');
    await seen.page.reload();
    await seen.sees('Drop a CSV here');
    expect(await seen.text()).not.toContain('The page was reloaded');
    expect(seen.questions).toHaveLength(1);
  });

  it('show no row as running that they count as ended', async () => {
    const items = Array.from({ length: 12 }, (_, i) => ({ html: `<h1>${i}</h1>`, reference: `live ${i}` }));
    const { id } = await json(client.post('/v1/bulk/json', { items }));
    const seen = await open(`/batches/${String(id)}?view=grid`);
    await seen.page.waitForSelector('[role=listitem] a');
    await seen.page.evaluate(() => {
      const ends = /: (succeeded|failed|canceled)$/;
      const wrong: string[] = Object.assign(globalThis, { wrong: [] }).wrong;
      const look = () => {
        const counted = Number(/(\d+) of 12 rows have ended/.exec(document.body.innerText)?.[1] ?? 0);
        const tiles = [...document.querySelectorAll('[role=listitem] a')];
        const ended = tiles.filter((each) => ends.test(each.getAttribute('aria-label') ?? '')).length;
        if (tiles.length === 12 && counted > ended) wrong.push(`${counted} counted, ${ended} shown`);
      };
      new MutationObserver(look).observe(document.body, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      });
    });
    await seen.sees('12 of 12 rows have ended');
    expect(await seen.page.evaluate(() => (globalThis as unknown as { wrong: string[] }).wrong)).toEqual([]);
  });

  it('are followed while the API restarts', async () => {
    const seen = await open('/batches/new');
    await paste(seen, [`${site.url}/held`, `${site.url}/bands.html`]);
    await submit(seen, 'Submit 2 rows');
    await seen.sees('1 of 2 rows have ended');
    await apps.api.stop();
    await seen.sees('The service does not answer');
    const again = startApp({ name: 'api', port: Number(apps.env.PORT), env: apps.env });
    try {
      await again.ready();
      await seen.page.waitForFunction(() => !document.body.innerText.includes('The service does not answer'));
      site.release();
      await seen.sees('2 of 2 rows have ended');
      await seen.sees('completed');
    } finally {
      await visit?.close();
      visit = undefined;
      await again.stop();
    }
  });
});
