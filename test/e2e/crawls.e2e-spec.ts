import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApps, type Apps } from '../support/apps.js';
import { onService, runCli, startCli } from '../support/cli.js';
import { Client, json, type Json } from '../support/client.js';
import { busy, CrawlSite, endless, gzipped, page, redirect, text, urlset } from '../support/crawl-site.js';
import { eventually } from '../support/eventually.js';
import { FOREIGN_CRAWLS } from '../support/foreign-crawls.js';
import { ToolUser } from '../support/mcp.js';
import { readZip } from '../support/zip-reader.js';

interface Page {
  readonly url: string;
  readonly outcome: string | null;
  readonly http_status: number | null;
  readonly found_on: string | null;
  readonly linked_from?: readonly string[];
}

describe('crawls', () => {
  let apps: Apps;
  let client: Client;
  let site: CrawlSite;
  let other: CrawlSite;

  beforeAll(async () => {
    site = await new CrawlSite().open();
    other = await new CrawlSite('127.0.0.2').open();
    apps = await startApps({ EGRESS_ALLOW: `127.0.0.1:${site.port},127.0.0.2:${other.port}` });
    client = new Client(apps);
  }, 120_000);

  afterAll(async () => {
    await site.close();
    await other.close();
    await apps.stop();
  });

  const start = async (more: Json): Promise<Json> => {
    const response = await client.post('/v1/crawls', { url: `${site.origin}/`, ...more });
    const record = await json(response);
    expect([response.status, record]).toEqual([202, expect.objectContaining({ status: 'discovering' })]);
    return record;
  };
  const show = (id: unknown): Promise<Json> => json(client.get(`/v1/crawls/${String(id)}`));
  const ended = async (id: unknown): Promise<Json> => {
    await eventually('the crawl has ended', async () => (await show(id)).finished_at !== null, 90_000);
    return show(id);
  };
  const pagesOf = async (id: unknown, list = 'pages'): Promise<Page[]> => {
    const { items } = await json(client.get(`/v1/crawls/${String(id)}/${list}?limit=100`));
    return items as Page[];
  };
  const pathsOf = (pages: readonly Page[]): string[] =>
    pages.map(({ url }) => url.slice(site.origin.length)).sort();
  const crawl = async (
    more: Json,
  ): Promise<{ readonly record: Json; readonly paths: string[]; readonly pages: Page[] }> => {
    const record = await ended((await start(more)).id);
    const pages = await pagesOf(record.id);
    return { record, pages, paths: pathsOf(pages) };
  };

  /** What `read_crawl` returns from the beginning to the end. */
  const readInParts = async (user: ToolUser, args: Record<string, unknown>): Promise<string[]> => {
    const { text: part } = await user.call('read_crawl', args);
    const [, next] = /Read on with read_crawl (.*)/.exec(part) ?? [];
    if (next === undefined) return [part];
    return [part, ...(await readInParts(user, { ...args, ...(JSON.parse(next) as Json) }))];
  };

  it('follows links, each address once, and captures each page as a row of one batch', async () => {
    site.describe({
      '/': page([
        '/a',
        '/a#part',
        '/a?utm_source=news',
        '/list?y=2&x=1',
        '/list?x=1&y=2',
        'mailto:a@b.example',
        '/missing',
      ]),
      '/a': page(['/', '/b', 'https://elsewhere.example/', '/missing']),
      '/b': page(['/a'], { title: 'The end' }),
      '/list': page([]),
    });
    const { record, paths, pages } = await crawl({ source: 'links' });
    expect(paths).toEqual(['/', '/a', '/b', '/list?x=1&y=2', '/missing']);
    expect(record).toMatchObject({ status: 'completed', discovered: 5, error: null });
    expect(record.skipped).toMatchObject({ filter: 0, robots: 0, depth: 0, limit: 0 });
    expect(site.visits.filter((path) => path === '/a')).toHaveLength(1);
    const batch = await json(client.get(`/v1/bulk/${String(record.batch_id)}`));
    expect(batch).toMatchObject({ status: 'completed', total: 5, progress: 1, counts: { succeeded: 5 } });
    const b = pages.find(({ url }) => url.endsWith('/b'));
    expect(b).toMatchObject({
      title: 'The end',
      depth: 2,
      found_by: 'link',
      outcome: 'ok',
      found_on: `${site.origin}/a`,
    });
    const [broken] = await pagesOf(record.id, 'broken');
    expect(broken).toMatchObject({ url: `${site.origin}/missing`, http_status: 404 });
    expect(broken?.linked_from).toEqual([`${site.origin}/`, `${site.origin}/a`]);
  });

  it('asks only hosts to which its captures are held for sitemaps and robots.txt', async () => {
    const held = { defaults: { allowed_hosts: ['127.0.0.1'] } };
    const pages = { '/': page(['/a']), '/a': page([]), '/b': page([]) };
    const map = { '/map.xml': text(urlset([`${site.origin}/b`])), '/robots.txt': text('') };
    site.describe({ ...pages, '/robots.txt': text(`Sitemap: ${other.origin}/map.xml\n`) });
    other.describe(map);
    expect((await crawl(held)).paths).toEqual(['/', '/a']);
    expect(other.visits).toEqual([]);
    expect((await crawl({})).paths).toEqual(['/', '/a', '/b']);
    expect(other.visits).toEqual(['/map.xml']);
    site.describe({ ...pages, '/robots.txt': redirect(`${other.origin}/robots.txt`) });
    other.describe(map);
    expect((await crawl(held)).record).toMatchObject({
      status: 'failed',
      error: { code: 'robots_forbidden' },
    });
    expect(site.visits).not.toContain('/');
    expect(other.visits).toEqual([]);
  });

  it('reads sitemaps that robots.txt names, in indexes, gzip and texts, and no foreign host of them', async () => {
    const { origin } = site;
    site.describe({
      '/robots.txt': text(`User-agent: *\nDisallow: /private/\nSitemap: ${origin}/index.xml.gz\n`),
      '/index.xml.gz': gzipped(
        `<sitemapindex><sitemap><loc>${origin}/index.xml.gz</loc></sitemap><sitemap><loc>${origin}/pages.xml</loc></sitemap>` +
          `<sitemap><loc>${origin}/list.txt</loc></sitemap></sitemapindex>`,
      ),
      '/pages.xml': text(
        urlset([
          `${origin}/one`,
          'https://foreign.example/',
          `${origin}/private/x`,
          `${origin}/one#twice`,
        ]).replace(
          '<url>',
          `<!DOCTYPE x [<!ENTITY e "eeee">]><url><image:image><image:loc>${origin}/picture.png</image:loc></image:image></url><url>`,
        ),
        'application/xml',
      ),
      '/list.txt': text(`${origin}/two\r\n${origin}/three\n`),
      '/one': page(['/four']),
      '/two': page([]),
      '/three': page([]),
    });
    const { record, paths } = await crawl({ source: 'sitemap' });
    expect(paths).toEqual(['/one', '/three', '/two']);
    expect(record.skipped).toEqual({ robots: 1, filter: 1, duplicate: 1, depth: 0, limit: 0 });
  });

  it.each(FOREIGN_CRAWLS)('finds $name', async (foreign) => {
    const { discovered, skipped = {}, visits = {}, start: path = '', rules } = foreign;
    site.describe(foreign.site(site.origin));
    const url = `${site.origin}/${path}`;
    const record = await ended((await start({ url, source: 'sitemap', dry_run: true, ...rules })).id);
    expect(record).toMatchObject({ discovered, skipped });
    const asked = Object.keys(visits).map((each) => [each, site.visits.filter((one) => one === each).length]);
    expect(Object.fromEntries(asked)).toEqual(visits);
  });

  it('stops at the limits of pages, depth and patterns, and follows its patterns of addresses', async () => {
    site.describe({
      '/': page(['/calendar/2026/1', '/shop?color=red&size=1', '/guide/1/', '/deep/1', '/docs/x', '/docs/y']),
      '/calendar/*': (request, response, url) => {
        const month = Number(url.pathname.split('/').at(-1));
        page([`/calendar/2026/${month + 1}`])(request, response, url);
      },
      '/shop': (request, response, url) => {
        const size = Number(url.searchParams.get('size'));
        page([`/shop?size=${size + 1}&color=red`, `/shop?color=blue&size=${size + 1}`])(
          request,
          response,
          url,
        );
      },
      '/guide/*': page(['a/a/a/a/a/', 'next/1/']),
      '/deep/*': page(['/deep/deeper']),
      '/docs/*': page([]),
    });
    const first = await crawl({
      source: 'links',
      max_depth: 20,
      limit_per_pattern: 3,
      exclude: ['*/deep/*', '*/guide/*'],
    });
    const kinds = Object.groupBy(first.paths, (path) => path.split(/[/?]/)[1] ?? '');
    expect(kinds.calendar).toHaveLength(3);
    expect(kinds.shop).toHaveLength(3);
    expect(kinds.deep).toBeUndefined();
    const { skipped } = first.record as { skipped: Record<string, number> };
    expect([skipped.limit, skipped.filter]).toEqual([expect.any(Number), 2]);
    const second = await crawl({ source: 'links', limit: 2, include: ['*/docs/*'] });
    expect(second.paths).toEqual(['/', '/docs/x']);
    expect(second.record).toMatchObject({ discovered: 2, skipped: { limit: 1 } });
    const third = await crawl({ source: 'links', max_depth: 1, include: ['*/deep/*'] });
    expect([third.paths, third.record.skipped]).toEqual([
      ['/', '/deep/1'],
      expect.objectContaining({ depth: 1 }),
    ]);
  });

  it('survives redirects, base, canonical links, scripts and nofollow', async () => {
    const { origin } = site;
    site.describe({
      '/robots.txt': text('User-agent: *\nDisallow: /*/private$\n'),
      '/': page([
        ...[
          '/old',
          '/round',
          '/away',
          '/x/private',
          '<a rel="nofollow" href="/secret">Secret</a>',
          '/hidden',
          '/folder/',
        ],
        '/copy?variant=1',
      ]),
      '/old': redirect('/new'),
      '/new': page(['/from-new'], {
        body: `<script>document.body.insertAdjacentHTML('beforeend', '<a href="/scripted">Made</a>')</script>`,
      }),
      '/round': redirect('/square'),
      '/square': redirect('/round'),
      '/away': redirect('http://127.0.0.1:9/'),
      '/folder/': page(['relative'], { head: '<base href="/other/">' }),
      '/hidden': page(['/behind'], { head: '<meta name="robots" content="noindex, nofollow">' }),
      '/copy': page(['/copy?variant=2', '/original'], {
        head: `<link rel="canonical" href="${origin}/original">`,
      }),
      ...Object.fromEntries(
        ['/from-new', '/other/relative', '/original', '/scripted'].map((path) => [path, page([])]),
      ),
    });
    const { record, paths, pages } = await crawl({ source: 'links' });
    expect(paths).toEqual([
      '/',
      '/away',
      '/copy?variant=1',
      '/folder/',
      '/from-new',
      '/hidden',
      '/old',
      '/original',
      '/other/relative',
      '/round',
      '/scripted',
    ]);
    expect(site.visits.filter((path) => path === '/new')).toHaveLength(1);
    expect(record.skipped).toMatchObject({ robots: 3, duplicate: 2 });
    const broken = pages.filter(({ outcome }) => outcome === 'broken');
    expect(pathsOf(broken)).toEqual(['/away', '/round']);
    const sitemap = await (await client.get(`/v1/crawls/${String(record.id)}/download?as=sitemap`)).text();
    const listed = [...sitemap.matchAll(/<loc>([^<]*)<\/loc>/g)].map(
      ([, url]) => ({ url: url ?? '' }) as Page,
    );
    expect(pathsOf(listed)).toEqual([
      '/',
      '/folder/',
      '/from-new',
      '/original',
      '/other/relative',
      '/scripted',
    ]);
  });

  it('says why it captures nothing, and captures nothing in a dry run', async () => {
    site.describe({ '/': page(['/a']), '/robots.txt': text('User-agent: *\nDisallow: /\n') });
    const forbidden = await crawl({ source: 'links' });
    expect(forbidden.record).toMatchObject({
      status: 'failed',
      discovered: 0,
      error: { code: 'robots_forbidden' },
    });
    expect(await json(client.get(`/v1/bulk/${String(forbidden.record.batch_id)}`))).toMatchObject({
      status: 'completed',
      total: 0,
      progress: 1,
    });
    site.describe({ '/': page([]), '/sitemap.xml': page([]) });
    const none = await crawl({ source: 'sitemap' });
    expect(none.record).toMatchObject({ status: 'failed', error: { code: 'sitemap_invalid' } });
    site.describe({
      '/': page(['/linked']),
      '/sitemap.xml': text(urlset([`${site.origin}/listed`]), 'text/xml'),
    });
    const dry = await crawl({ source: 'both', dry_run: true });
    expect(dry.record).toMatchObject({ status: 'completed', batch_id: null, discovered: 2 });
    expect([dry.paths, site.visits]).toEqual([
      ['/', '/listed'],
      ['/robots.txt', '/sitemap.xml'],
    ]);
  });

  it('is canceled with its batch, and its batch with it', async () => {
    site.describe({
      '/robots.txt': text(''),
      '/*': (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).write('<p>'),
    });
    const { id, batch_id: batchId } = await start({ source: 'links' });
    await eventually('a capture runs', async () => {
      return (await json(client.get(`/v1/bulk/${String(batchId)}`))).status === 'running';
    });
    const canceled = await client.send('DELETE', `/v1/crawls/${String(id)}`);
    expect([canceled.status, await json(canceled)]).toEqual([
      200,
      expect.objectContaining({ status: 'canceled' }),
    ]);
    expect(await json(client.get(`/v1/bulk/${String(batchId)}`))).toMatchObject({ status: 'canceled' });
    const second = await start({ source: 'links' });
    expect((await client.send('DELETE', `/v1/bulk/${String(second.batch_id)}`)).status).toBe(200);
    expect(await ended(second.id)).toMatchObject({ status: 'canceled' });
  });

  it('waits and slows down where the site refuses pages, and captures them again', async () => {
    site.describe({
      '/': page(['/a', '/never']),
      '/a': busy(1, { 'retry-after': '2' }, page([])),
      '/never': busy(Infinity, {}, page([]), 503),
    });
    const { record, pages } = await crawl({ source: 'links' });
    expect(pages).toMatchObject([
      { number: 1, outcome: 'ok' },
      { number: 2, outcome: 'ok', url: `${site.origin}/a` },
      { number: 3, outcome: 'broken', http_status: 503, error_code: 'target_http_error' },
    ]);
    expect(record).toMatchObject({ discovered: 3, paused_until: expect.any(String) });
    expect(record.delay_s).toBeGreaterThanOrEqual(4);
    expect(await json(client.get(`/v1/bulk/${String(record.batch_id)}`))).toMatchObject({
      total: 6,
      counts: { succeeded: 2, failed: 4 },
    });
    const archive = await client.get(`/v1/crawls/${String(record.id)}/download`);
    const names = readZip(Buffer.from(await archive.arrayBuffer())).map(({ path: name }) => name);
    expect(names.sort()).toEqual(['a.png', 'index.png']);
  });

  it('obeys a robots.txt that never ends, and one that is there at the second try', async () => {
    const rules = 'User-agent: *\nCrawl-delay: 7\nDisallow: /private\n';
    const sitemap = text(urlset(['open', 'private'].map((path) => `${site.origin}/${path}`)), 'text/xml');
    for (const robots of [endless(rules, 'Disallow: /other/\n'), busy(1, {}, text(rules), 503)]) {
      site.describe({ '/robots.txt': robots, '/sitemap.xml': sitemap });
      const { record, paths } = await crawl({ source: 'sitemap', dry_run: true });
      expect([paths, record.delay_s]).toEqual([['/open'], 7]);
      expect(record.skipped).toMatchObject({ robots: 1 });
    }
    site.describe({ '/robots.txt': busy(Infinity, {}, text(''), 500), '/sitemap.xml': sitemap });
    const { record } = await crawl({ source: 'sitemap', dry_run: true });
    expect([record.discovered, record.skipped]).toEqual([0, expect.objectContaining({ robots: 2 })]);
  });

  it('leaves a zip with names from paths, and one document with a table of contents', async () => {
    site.describe({
      '/': page(['/guide/install.html', '/guide/']),
      '/guide/install.html': page(['/'], {
        title: 'Install [it]',
        body: '<p>Run the installer of the program.</p>',
      }),
      '/guide/': page([], {
        title: 'Guide',
        body: Array.from({ length: 60 }, (_, n) => `<p>The text is long. ${n}</p>`).join(''),
      }),
    });
    const { record } = await crawl({ source: 'links', defaults: { format: 'markdown' } });
    const path = `/v1/crawls/${String(record.id)}/download`;
    const archive = Buffer.from(await (await client.get(path)).arrayBuffer());
    const names = readZip(archive).map(({ path: name }) => name);
    expect(names.sort()).toEqual(['guide/index.md', 'guide/install.md', 'index.md']);
    const book = await client.get(`${path}?as=markdown`);
    const content = await book.text();
    expect(book.headers.get('content-type')).toContain('text/markdown');
    expect(content).toContain('  - [Install \\[it\\]](#page-2)\n');
    expect(content).toContain('<a id="page-2"></a>');
    expect(content).toContain('Run the installer of the program.');
    await using user = await ToolUser.overHttp(apps);
    const id = String(record.id);
    const shown = await user.call('get_crawl', { id, limit: 2 });
    expect(shown.structuredContent).toMatchObject({
      id,
      status: 'completed',
      next_page: 3,
      pages: [
        { number: 1, outcome: 'ok' },
        { number: 2, title: 'Install [it]' },
      ],
    });
    const parts = await readInParts(user, { id, max_characters: 500 });
    expect(parts[0]).toContain('Read on with read_crawl');
    expect(parts.at(-1)).toContain('This is the end of the pages that are captured.');
    const all = parts.join('\n');
    expect(all).toContain(`Page 2, "Install [it]", ${site.origin}/guide/install.html: characters 0 to `);
    expect([...all.matchAll(/The text is long\. (\d+)/g)].map(([, n]) => Number(n))).toEqual(
      Array.from({ length: 60 }, (_, n) => n),
    );
  });

  it('is saved by the command line under the names of the archive, which goes on where it was stopped', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'cli-crawl-'));
    const saved = async (): Promise<string[]> =>
      (await readdir(path.join(folder, 'site'), { recursive: true }))
        .filter((name) => name.endsWith('.md'))
        .sort();
    const leaf = page([], { title: 'A page' });
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    site.describe({
      '/': page(['/guide/install.html', '/a', '/A', '/gone', '/last', '/busy']),
      '/guide/install.html': leaf,
      '/a': leaf,
      '/A': leaf,
      '/busy': busy(1, { 'retry-after': '1' }, leaf),
      '/last': (...args) => void held.then(() => leaf(...args)),
    });
    const args = ['crawl', `${site.origin}/`, '-o', 'site', '--source', 'links', '--format', 'markdown'];
    const { child, ended: end } = startCli(args, onService(apps, folder));
    await eventually(
      'the first files are there',
      async () => (await saved().catch(() => [])).filter((name) => name !== 'busy.md').length === 5,
      60_000,
    );
    child.kill('SIGINT');
    expect(await end).toMatchObject({ code: 130, stderr: expect.stringContaining('The service continues') });
    release();
    const { mtimeMs } = await stat(path.join(folder, 'site/a.md'));
    await rm(path.join(folder, 'site/A-4.md'));
    const again = await runCli(args, onService(apps, folder));
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining(`404     ${site.origin}/gone`) });
    const names = ['A-4.md', 'a.md', 'busy.md', 'gone.md', 'guide/install.md', 'index.md', 'last.md'];
    expect(await saved()).toEqual(names);
    expect((await stat(path.join(folder, 'site/a.md'))).mtimeMs).toBe(mtimeMs);
    const [crawled] = (await json(client.get('/v1/crawls?limit=1'))).items as Json[];
    const archive = await client.get(`/v1/crawls/${String(crawled?.id)}/download`);
    expect(
      readZip(Buffer.from(await archive.arrayBuffer()))
        .map((file) => file.path)
        .sort(),
    ).toEqual(names);
    expect(site.visits.filter((each) => each === '/a')).toHaveLength(1);
    expect(await runCli([...args, '--limit', '9'], onService(apps, folder))).toMatchObject({ code: 2 });
    await rm(folder, { recursive: true });
  });
});
