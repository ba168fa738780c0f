import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json, type Json } from '../support/client.js';
import { capturesOfPage, type DocumentedCapture } from '../support/doc-examples.js';
import { Site } from '../support/site.js';

/** The page of docs/outputs.md; its price changes when a test says so. */
const page = (price: number): string => `<!doctype html><html lang="en"><head><meta charset="utf-8">
  <title>Fernwood Journal</title><style>main { min-height: 2300px }</style>
  <meta name="description" content="Notes on plants"><meta name="author" content="A. Writer">
  <meta property="og:title" content="Fernwood"><meta property="og:image" content="/cover.png">
  <meta name="twitter:card" content="summary">
  <meta property="article:published_time" content="2026-11-02">
  <link rel="canonical" href="/"><link rel="icon" href="/icon.png" sizes="32x32" type="image/png">
  <link rel="alternate" href="/feed.xml" title="News" type="application/rss+xml">
  <script type="application/ld+json">{"@type":"Article","headline":"Ferns"}</script></head>
  <body><nav><a href="/about">About</a></nav><p class="clock">${price * 7} seconds</p>
  <main><h1>Ferns</h1><img alt="A fern" width="64" height="48"
    src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7">
  ${'<p>Ferns grow in the shade of old trees and unroll their leaves in the first warm days of spring.</p>'.repeat(12)}
  <p>A pot of ferns costs <b>${price}</b> crowns.</p></main></body></html>`;

/** What the documentation says about a value: its type, and of objects and lists what is in them. */
function shapeOf(documented: unknown, actual: unknown): unknown {
  if (documented === null || actual === null) return 'anything or null';
  if (Array.isArray(documented)) {
    if (!Array.isArray(actual)) return typeof actual;
    return documented.length === 0 || actual.length === 0
      ? actual.length
      : [shapeOf(documented[0], actual[0])];
  }
  if (typeof documented !== 'object') return typeof actual;
  const names = Object.keys(actual ?? {});
  return Object.fromEntries(
    names.map((name) => [name, shapeOf((documented as Json)[name], (actual as Json)[name])]),
  );
}

describe('the examples of docs/outputs.md', () => {
  const examples = capturesOfPage('docs/outputs.md');
  let site: Site;
  let apps: Apps;
  let client: Client;
  let price = 10;
  const records: Json[] = [];

  beforeAll(async () => {
    site = new Site({
      '/': (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(page(price)),
    });
    await site.open();
    apps = await startApps({ EGRESS_ALLOW: new URL(site.url('/')).host });
    client = new Client(apps);
  }, 120_000);

  afterAll(async () => {
    await apps.stop();
    await site.close();
  });

  const capture = async ({ options }: DocumentedCapture): Promise<Json> => {
    const record = await client.record({ ...options, url: site.url('/') });
    records.push(record);
    return record;
  };

  it('are there', () => {
    expect(examples.length).toBeGreaterThan(3);
    expect(examples.filter(({ record }) => record).length).toBeGreaterThan(2);
  });

  it.each(examples.map((example) => [JSON.stringify(example.options), example] as const))(
    'work, and have the record that is shown: %s',
    async (_, example) => {
      const isCompared = example.record?.change !== undefined;
      if (isCompared) await capture(example);
      price += 1;
      const record = await capture(example);
      expect(record).toMatchObject({ status: 'succeeded', error: null, billable: true });
      for (const [name, documented] of Object.entries(example.record ?? {})) {
        expect(shapeOf(documented, record[name])).toEqual(shapeOf(documented, documented));
      }
      const named = (files: unknown) =>
        (files as Json[]).map(({ name, format, content }) => [name, format, content]);
      if (example.record?.files) expect(named(record.files)).toEqual(named(example.record.files));
      for (const { url, bytes } of record.files as Json[]) {
        const file = await client.get(String(url));
        expect([file.status, (await file.arrayBuffer()).byteLength]).toEqual([200, bytes]);
      }
    },
  );

  it('are found by the filters, and counted with all of their files', async () => {
    const idsOf = async (query: string) =>
      ((await json(client.get(`/v1/captures?limit=100&${query}`))).items as Json[]).map(({ id }) => id);
    const changed = records.filter(({ change }) => (change as Json | null)?.changed === true);
    expect(changed).not.toHaveLength(0);
    expect(await idsOf('changed=true')).toEqual(changed.map(({ id }) => id).reverse());
    expect(await idsOf('verdict=page&has_error=false')).toHaveLength(records.length);
    expect(await idsOf('has_error=true')).toEqual([]);
    const files = records.flatMap((record) => record.files as { readonly bytes: number }[]);
    const stats = await json(client.get('/v1/captures/stats'));
    expect(stats).toMatchObject({
      total: records.length,
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    });
  });
});
