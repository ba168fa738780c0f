/**
 * `npm run console:pictures`: makes the pictures of the console in docs/images. It runs the service on a fresh database,
 * captures the pages of bench/pages/showcase under names of their own, submits a batch, and takes a picture of each page of
 * the console in a browser.
 */
import { mkdir, readFile, stat } from 'node:fs/promises';
import type { RequestListener, ServerResponse } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'puppeteer';
import { startApps } from '../test/support/apps.js';
import { Client, json } from '../test/support/client.js';
import { ConsoleBrowser, type ConsoleVisit } from '../test/support/console-browser.js';
import { eventually } from '../test/support/eventually.js';
import { Site } from '../test/support/site.js';

const FOLDER = 'docs/images';
const PAGES = 'bench/pages/showcase';
/** They are part of the repository and of every clone. */
const MAX_BYTES = 80_000;
/** The pages by the names of their sites. */
const SITES: Readonly<Record<string, string>> = {
  'juniper.example': 'shop',
  'harbourpost.example': 'news',
  'northwind.example': 'dashboard',
  'loom.example': 'guide',
  'paperplane.example': 'pricing',
  'weather.example': 'weather',
};
/** The captures of the history, oldest first: the site, and the options. */
const CAPTURES: readonly (readonly [string, object])[] = [
  ['loom.example', { format: 'markdown', reference: 'docs' }],
  ['weather.example', { device: 'iphone-15' }],
  ['harbourpost.example', { full_page: true }],
  ['juniper.example', { reference: 'landing', compare_with: 'previous' }],
  ['loom.example', { format: 'pdf', reference: 'docs' }],
  ['northwind.example', { device_scale_factor: 2 }],
  ['paperplane.example', { full_page: true }],
  ['nowhere.example', { reference: 'landing' }],
  ['juniper.example', { device: 'iphone-15' }],
  ['loom.example', { metadata: true }],
  ['weather.example', { format: 'webp' }],
  ['northwind.example', {}],
  ['harbourpost.example', { dark_mode: true }],
  ['juniper.example', { reference: 'landing', compare_with: 'previous' }],
];

const site = new Site(
  Object.fromEntries([
    ['/hook', (_: unknown, response: ServerResponse) => void response.writeHead(204).end()],
    ...(await Promise.all(
      Object.entries(SITES).map(async ([, page]) => [`/${page}`, await servePage(page)] as const),
    )),
  ]),
);
await site.open();
const { port } = new URL(site.url('/'));
const hosts = [...Object.keys(SITES), 'nowhere.example'];
const HOOKS = 'hooks.example';
const names = pathToFileURL(path.resolve('test/support/fixture-names.mjs')).href;
await using apps = await startApps({
  EGRESS_ALLOW: [...hosts, HOOKS].map((name) => `${name}:${port}`).join(),
  FIXTURE_NAMES: [...hosts, HOOKS].join(),
  NODE_OPTIONS: `--import=${names}`,
});
const client = new Client(apps);
const addressOf = (name: string): string => `http://${name}:${port}/${SITES[name] ?? 'gone'}`;
const rows = Array.from({ length: 24 }, (_, i) => ({
  url: addressOf(hosts[i % hosts.length] ?? ''),
  reference: `page-${i + 1}`,
  fail_on_status: ['4xx'],
}));
const batch = await json(
  client.post('/v1/bulk/json', { items: rows, webhook_url: `http://${HOOKS}:${port}/hook` }),
);
await eventually(
  'the batch has ended',
  async () => (await json(client.get(`/v1/bulk/${String(batch.id)}`))).status === 'completed',
  180_000,
);

for (const name of Object.keys(SITES)) {
  const path = name === 'weather.example' ? 'gone' : 'hook';
  await client.submit({ url: addressOf(name), webhook_url: `http://${HOOKS}:${port}/${path}` });
}
const ids: string[] = [];
for (const [name, options] of CAPTURES) {
  const record = await client.record({ url: addressOf(name), fail_on_status: ['4xx'], ...options });
  ids.push(String(record.id ?? record.capture_id));
}
await mkdir(FOLDER, { recursive: true });
const browser = await ConsoleBrowser.launch(apps);
try {
  const visit = await browser.visit();
  for (const [name, page] of Object.entries(pagesOf())) await takePicture(visit, name, page);
  const dark = await browser.visit({ scheme: 'dark' });
  await takePicture(dark, 'captures-dark', '/captures');
  const narrow = await browser.visit({ width: 390 });
  await takePicture(narrow, 'captures-narrow', '/captures');
} finally {
  await browser.close();
  await site.close();
}

/** A page of the showcase. The price of the lamp changes with each visit, so that two captures differ. */
async function servePage(name: string): Promise<RequestListener> {
  const html = await readFile(path.join(PAGES, `${name}.html`), 'utf8');
  let visits = 0;
  return (_, response) => {
    const price = 189 - 20 * (visits++ % 3);
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end(html.replace('€189', `€${price}`));
  };
}

/** The pages by the names of their pictures. */
function pagesOf(): Readonly<Record<string, string>> {
  const [latest = '', earlier = ''] = [ids.at(-1), ids[3]];
  const options = encodeURIComponent(JSON.stringify({ url: addressOf('juniper.example'), full_page: true }));
  return {
    captures: '/captures',
    capture: `/capture?options=${options}`,
    'capture-record': `/captures/${latest}`,
    compare: `/captures/compare?a=${earlier}&b=${latest}`,
    batch: `/batches/${String(batch.id)}`,
    usage: '/usage',
    webhooks: '/webhooks',
    status: '/status',
  };
}

/** Captures what the form says, and waits for the picture. */
async function runForm(page: Page): Promise<void> {
  await page.focus('input[name="url"], textarea, input');
  await page.keyboard.down('Control');
  await page.keyboard.press('Enter');
  await page.keyboard.up('Control');
  await page.waitForSelector('main img:not([alt=""])');
  await page.waitForNetworkIdle();
}

async function takePicture({ page, ...visit }: ConsoleVisit, name: string, address: string): Promise<void> {
  await page.goto(`${apps.url}/console${address}`, { waitUntil: 'networkidle2' });
  if (name === 'capture') await runForm(page);
  const file = path.join(FOLDER, `console-${name}.webp`) as `${string}.webp`;
  await page.screenshot({ path: file, type: 'webp', quality: 75 });
  const { size } = await stat(file);
  if (size > MAX_BYTES) throw new Error(`${file} has ${size} bytes`);
  console.log(`${file} ${size} bytes; complaints: ${JSON.stringify(visit.complaints)}`);
}
