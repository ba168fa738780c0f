/**
 * `npm run console:pictures`: makes the pictures of the console in docs/images. It runs the service on a fresh database,
 * captures the pages of bench/pages/showcase under names of their own, submits a batch, crawls a manual, watches a page, and takes
 * a picture of each page of the console in a browser.
 */
import { mkdir, readFile, stat } from 'node:fs/promises';
import type { RequestListener, ServerResponse } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { startApps } from '../test/support/apps.js';
import { Client, json } from '../test/support/client.js';
import { ConsoleBrowser, type ConsoleVisit } from '../test/support/console-browser.js';
import { eventually } from '../test/support/eventually.js';
import { Site } from '../test/support/site.js';

const FOLDER = 'docs/images';
/** Checks of the monitor, the first of which finds no change. */
const CHECKS = 5;
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

/** The pages of the manual that is crawled, with their titles. Each links to all others, and to one that is not there. */
const MANUAL: Readonly<Record<string, string>> = {
  '/manual/': 'The loom manual',
  '/manual/install/': 'Installing the loom',
  '/manual/install/linux': 'On Linux',
  '/manual/install/macos': 'On macOS',
  '/manual/guide/': 'The guide',
  '/manual/guide/first-cloth': 'Your first cloth',
  '/manual/guide/patterns': 'Patterns and repeats',
  '/manual/guide/colours': 'Colours that last',
  '/manual/reference/': 'Reference',
  '/manual/reference/commands': 'All commands',
  '/manual/reference/files': 'Files and folders',
  '/manual/faq': 'Questions and answers',
};

const site = new Site(
  Object.fromEntries([
    ...Object.entries(MANUAL).map(([path, title]) => [path, serveManual(title)] as const),
    ['/hook', (_: unknown, response: ServerResponse) => void response.writeHead(204).end()],
    ...(await Promise.all(
      Object.entries(SITES).map(async ([, page]) => [`/${page}`, await servePage(page)] as const),
    )),
  ]),
);
await site.open();
const { port } = new URL(site.url('/'));
const hosts = [...Object.keys(SITES), 'nowhere.example'];
const MANUAL_HOST = 'manual.example';
const HOOKS = 'hooks.example';
const names = pathToFileURL(path.resolve('test/support/fixture-names.mjs')).href;
await using apps = await startApps({
  EGRESS_ALLOW: [...hosts, HOOKS, MANUAL_HOST].map((name) => `${name}:${port}`).join(),
  FIXTURE_NAMES: [...hosts, HOOKS, MANUAL_HOST].join(),
  NODE_OPTIONS: `--import=${names}`,
});
const client = new Client(apps);
const addressOf = (name: string): string => `http://${name}:${port}/${SITES[name] ?? 'gone'}`;
const rows = Array.from({ length: 24 }, (_, i) => ({
  url: addressOf(hosts[i % hosts.length] ?? ''),
  reference: `page-${i + 1}`,
  fail_on_status: ['4xx'],
}));
// The newest captures are those of the showcase, which the picture of the captures shows.
const crawl = await crawlManual();
const monitor = await watchLamp();
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
  await administer();
  const operator = await browser.visit();
  await takePicture(operator, 'accounts', '/admin/accounts');
  await takePicture(operator, 'audit', '/admin/audit');
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

function serveManual(title: string): RequestListener {
  const links = [...Object.keys(MANUAL), '/manual/guide/fringes'].map(
    (path) => `<li><a href="${path}">${path}</a>`,
  );
  const html = `<!doctype html><title>${title}</title><h1>${title}</h1><ul>${links.join('')}</ul>`;
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
  };
}

/** Returns the id of a crawl that has ended. */
async function crawlManual(): Promise<string> {
  const url = `http://${MANUAL_HOST}:${port}/manual/`;
  const { id } = await json(client.post('/v1/crawls', { url, source: 'links', same: 'prefix' }));
  const path = `/v1/crawls/${String(id)}`;
  const hasEnded = async () => (await json(client.get(path))).finished_at !== null;
  await eventually('the crawl has ended', hasEnded, 180_000);
  return String(id);
}

/** Returns the id of a monitor that has seen the price of the lamp change. */
async function watchLamp(): Promise<string> {
  const request = {
    name: 'lamp',
    schedule: { every_s: 86_400 },
    alert: { confirm: 1 },
    capture: { url: addressOf('juniper.example') },
  };
  const { id } = await json(client.post('/v1/monitors', request));
  const path = `/v1/monitors/${String(id)}`;
  for (let check = 1; check <= CHECKS; check++) {
    if (check > 1) await client.post(`${path}/run`, {});
    const hasChecked = async () => {
      const { items } = (await json(client.get(`${path}/checks`))) as { items: { outcome: unknown }[] };
      return items.length === check && items.every(({ outcome }) => outcome !== null);
    };
    await eventually(`check ${check} has ended`, hasChecked, 60_000);
  }
  return String(id);
}

/** Makes accounts, and changes that the audit trail shows, with the key of an operator. */
async function administer(): Promise<void> {
  await apps.database.query(`UPDATE api_keys SET scopes = scopes || '{admin}'`);
  for (const [name, allowance] of Object.entries({ juniper: 5_000, harbourpost: 20_000, northwind: 1_000 })) {
    const { id } = await json(client.post('/v1/admin/accounts', { name }));
    await client.send('PATCH', `/v1/admin/accounts/${String(id)}`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ allowance }),
    });
  }
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
    crawl: `/crawls/${crawl}`,
    monitor: `/monitors/${monitor}`,
    usage: '/usage',
    webhooks: '/webhooks',
    status: '/status',
  };
}

/** Captures what the form says, and waits for the picture. */
async function runForm({ page }: ConsoleVisit): Promise<void> {
  await page.focus('input[name="url"], textarea, input');
  await page.keyboard.down('Control');
  await page.keyboard.press('Enter');
  await page.keyboard.up('Control');
  await page.waitForSelector('main img:not([alt=""])');
}

async function takePicture(visit: ConsoleVisit, name: string, address: string): Promise<void> {
  await visit.open(address);
  await visit.rests();
  if (name === 'capture') await runForm(visit);
  if (name === 'compare') await visit.sees('of the pixels differ');
  await visit.rests();
  const file = path.join(FOLDER, `console-${name}.webp`) as `${string}.webp`;
  await visit.page.screenshot({ path: file, type: 'webp', quality: 75 });
  const { size } = await stat(file);
  if (size > MAX_BYTES) throw new Error(`${file} has ${size} bytes`);
  console.log(`${file} ${size} bytes; complaints: ${JSON.stringify(visit.complaints)}`);
}
