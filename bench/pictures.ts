/**
 * `npm run pictures`: makes the pictures of docs/clean-pages.md. The service captures test/site/noisy-shop.html as it is and
 * with the options that the page describes, and the files are written as they were served.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '../test/support/client.js';
import { startNoisyShop } from '../test/support/noisy-shop.js';

const FOLDER = 'docs/images';
/** They are part of the repository and of every clone. */
const MAX_BYTES = 60_000;

const WINDOW = {
  viewport_width: 960,
  viewport_height: 640,
  format: 'webp',
  quality: 75,
  wait_until: 'networkidle',
};

/** The files by name, and the options of each. */
const PICTURES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'noisy-shop': {},
  'noisy-shop-clean': { clean: true },
  'noisy-shop-no-cookie-banner': { block_cookie_banners: true, block_annoyances: true },
};

await using shop = await startNoisyShop();
const client = new Client(shop.apps);
await mkdir(FOLDER, { recursive: true });
for (const [name, options] of Object.entries(PICTURES)) {
  const { id, blocked, consent, ...record } = await client.record({ url: shop.url, ...WINDOW, ...options });
  if (record.status !== 'succeeded') throw new Error(`${name}: ${JSON.stringify(record)}`);
  const file = await client.get(`/v1/captures/${String(id)}/result`);
  const bytes = Buffer.from(await file.arrayBuffer());
  if (bytes.length > MAX_BYTES) throw new Error(`${name} has ${bytes.length} bytes`);
  await writeFile(path.join(FOLDER, `${name}.webp`), bytes);
  console.log(`${name}.webp ${bytes.length} bytes; ${JSON.stringify({ blocked, consent })}`);
}
