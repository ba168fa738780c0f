import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json, type Json } from '../support/client.js';
import { CrawlSite, page } from '../support/crawl-site.js';
import { eventually } from '../support/eventually.js';
import { canProvideManuals, openManuals } from '../support/manuals.js';

const PAGES = 80;

interface Page {
  readonly number: number;
  readonly url: string;
  readonly outcome: string;
}

/** Slow: whole manuals are captured, and workers are killed and started again. test/e2e/crawls.e2e-spec.ts covers the same code. */
describe('crawls of many pages', () => {
  let apps: Apps | undefined;
  let site: CrawlSite;

  beforeAll(async () => {
    site = await new CrawlSite().open();
  });

  afterAll(() => site.close());

  afterEach(async () => {
    await apps?.stop();
    apps = undefined;
  });

  const follow = async (client: Client, id: unknown): Promise<Json> =>
    json(client.get(`/v1/crawls/${String(id)}`));
  const allPages = async (client: Client, id: unknown): Promise<Page[]> => {
    const pages: Page[] = [];
    for (let query = ''; ;) {
      const list = await json(client.get(`/v1/crawls/${String(id)}/pages?limit=100${query}`));
      const { items, next_cursor: cursor } = list as unknown as { items: Page[]; next_cursor: string | null };
      pages.push(...items);
      if (cursor === null) return pages;
      query = `&cursor=${cursor}`;
    }
  };

  it('goes on where killed workers stopped, with no address twice and none lost', async () => {
    const links = (n: number): string[] =>
      [2 * n, 2 * n + 1].filter((each) => each <= PAGES).map((each) => `/p${each}x`);
    site.describe({
      '/': page(links(1)),
      '/p*': (request, response, url) => {
        page(links(Number(/\d+/.exec(url.pathname)?.[0])))(request, response, url);
      },
    });
    apps = await startApps({ EGRESS_ALLOW: `127.0.0.1:${site.port}` });
    const client = new Client(apps);
    const { id, batch_id: batchId } = await json(
      client.post('/v1/crawls', { url: `${site.origin}/`, source: 'links', limit_per_pattern: 1_000 }),
    );
    let { worker } = apps;
    for (const share of [0.1, 0.4, 0.7]) {
      await eventually(
        'some captures have ended',
        async () => {
          const { counts } = (await json(client.get(`/v1/bulk/${String(batchId)}`))) as {
            counts: Record<string, number>;
          };
          return (counts.succeeded ?? 0) >= share * PAGES;
        },
        90_000,
      );
      worker.kill('SIGKILL');
      await worker.ended();
      await apps.endLeases();
      await apps.database.query(`UPDATE crawls SET leased_until = now() WHERE leased_until IS NOT NULL`);
      worker = await apps.launch('worker');
      await worker.ready();
    }
    await eventually(
      'the crawl has ended',
      async () => (await follow(client, id)).finished_at !== null,
      120_000,
    );
    const pages = await allPages(client, id);
    const batch = await json(client.get(`/v1/bulk/${String(batchId)}`));
    await worker.stop();
    expect(new Set(pages.map(({ url }) => url)).size).toBe(PAGES);
    expect(pages).toHaveLength(PAGES);
    expect(batch).toMatchObject({ status: 'completed', total: PAGES, counts: { succeeded: PAGES } });
    expect(await follow(client, id)).toMatchObject({ status: 'completed', discovered: PAGES });
  }, 400_000);

  it('survives a page with 100,000 links, and says how many it left out', async () => {
    const links = Array.from({ length: 100_000 }, (_, i) => `/page-${i}`);
    site.describe({ '/': page(links), '/page-*': page([]) });
    apps = await startApps({ EGRESS_ALLOW: `127.0.0.1:${site.port}` });
    const client = new Client(apps);
    const rules = { source: 'links', limit: 3, limit_per_pattern: 5 };
    const { id } = await json(client.post('/v1/crawls', { url: `${site.origin}/`, ...rules }));
    const hasEnded = async (): Promise<boolean> => (await follow(client, id)).finished_at !== null;
    await eventually('the crawl has ended', hasEnded, 120_000);
    const pages = await allPages(client, id);
    expect(pages.map(({ url }) => url.slice(site.origin.length))).toEqual(['/', '/page-0', '/page-1']);
    // The page is read for two seconds, which a busy machine may spend on fewer links.
    const { skipped } = (await follow(client, id)) as { skipped: { limit: number } };
    expect(skipped.limit).toBeGreaterThan(5_000);
  }, 200_000);

  const withManuals = canProvideManuals() ? it : it.skip;

  withManuals.each([
    ['the Debian handbook', 0],
    ['the PostgreSQL manual', 1],
  ])(
    'captures %s whole',
    async (_, number) => {
      const manuals = await openManuals();
      try {
        const files = manuals.pages(100_000).filter((url) => url.split('/')[3] === String(number));
        const { host } = new URL(files[0] ?? '');
        apps = await startApps({ EGRESS_ALLOW: host });
        const client = new Client(apps);
        const url = `http://${host}/${number}/index.html`;
        const defaults = { format: 'text' };
        const rules = {
          source: 'links',
          same: 'prefix',
          limit: 10_000,
          max_depth: 100,
          limit_per_pattern: 10_000,
        };
        const { id } = await json(client.post('/v1/crawls', { url, ...rules, defaults }));
        await eventually(
          'the crawl has ended',
          async () => (await follow(client, id)).finished_at !== null,
          1_000_000,
        );
        const pages = (await allPages(client, id))
          .filter(({ outcome }) => outcome === 'ok')
          .map((each) => each.url);
        expect(pages).toHaveLength(new Set(pages).size);
        expect([...pages].filter((each) => each.endsWith('.html')).sort()).toEqual([...files].sort());
      } finally {
        manuals.close();
      }
    },
    1_200_000,
  );
});
