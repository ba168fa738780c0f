import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getDocumentProxy } from 'unpdf';
import sharp from 'sharp';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json, type Json } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startFixtureSite, type FixtureSite } from '../support/fixture-site.js';
import { descendants } from '../support/processes.js';

// The queue can also be in Redis: jobs.e2e-spec.ts runs the service on both.
describe('the service', () => {
  let site: FixtureSite;
  let apps: Apps;
  let client: Client;

  beforeAll(async () => {
    site = await startFixtureSite();
    const env = { EGRESS_ALLOW: `127.0.0.1:${site.port}`, WORKER_SLOTS: '2' };
    // The modules, which images run; most other specs run the bundles.
    apps = await startApps(env, '.');
    client = new Client(apps);
  }, 120_000);

  afterAll(async () => {
    await apps.stop();
    await site.close();
  });

  const page = (path: string): string => `${site.url}/${path}`;
  const usage = (): Promise<Json> => json(client.get('/v1/usage'));
  const browsers = (): number[] =>
    descendants(apps.worker.pid)
      .filter(({ command }) => /headless|chrom/i.test(command) && !command.includes('--type='))
      .map(({ pid }) => pid);

  it('shows a page by a signed link, which costs one capture for all of its visitors', async () => {
    const before = Number((await usage()).used);
    const options = { url: page('bands.html'), format: 'webp', image_width: 320, expires_in_s: 600 };
    const { url } = await json(client.post('/v1/links', options));
    const visitors = await Promise.all(Array.from({ length: 10 }, () => fetch(String(url))));
    const kinds = visitors.map(({ headers }) => headers.get('x-cache'));
    expect(kinds.filter((kind) => kind === 'MISS')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'BYPASS')).toEqual([]);
    for (const visitor of visitors) {
      const { format, width } = await sharp(await visitor.arrayBuffer()).metadata();
      expect([format, width]).toEqual(['webp', 320]);
    }
    expect((await fetch(String(url))).headers.get('x-cache')).toBe('HIT');
    expect(Number((await usage()).used)).toBe(before + 1);
  });

  describe('answers a capture with its file', () => {
    it.each([
      ['png', 'image/png'],
      ['jpeg', 'image/jpeg'],
      ['webp', 'image/webp'],
    ])('as %s', async (format, type) => {
      const response = await client.capture({ url: page('bands.html'), format });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe(type);
      const { format: decoded, width, height } = await sharp(await response.arrayBuffer()).metadata();
      expect({ decoded, width, height }).toEqual({ decoded: format, width: 1280, height: 800 });
    });

    it('as pdf', async () => {
      const response = await client.capture({ url: page('bands.html'), format: 'pdf' });
      expect(response.headers.get('content-type')).toBe('application/pdf');
      const pdf = await getDocumentProxy(new Uint8Array(await response.arrayBuffer()));
      expect(pdf.numPages).toBeGreaterThan(0);
    });

    it('from html in the request', async () => {
      const record = await client.record({ html: '<title>Brought</title><h1>Hello</h1>' });
      expect(record).toMatchObject({ status: 'succeeded', title: 'Brought', url: null, http_status: null });
    });

    it('with headers that describe it', async () => {
      const response = await client.capture({ url: page('bands.html'), filename: 'bänds' });
      const bytes = Buffer.from(await response.arrayBuffer());
      const headers = Object.fromEntries(response.headers);
      expect(headers).toMatchObject({
        'x-capture-http-status': '200',
        'x-capture-final-url': page('bands.html'),
        'x-capture-billable': 'true',
        'content-length': String(bytes.length),
      });
      const timing = headers['server-timing'] ?? '';
      for (const phase of ['queue', 'prepare', 'navigate', 'settle', 'render', 'store']) {
        expect(timing).toMatch(new RegExp(`\\b${phase};dur=\\d`));
      }
      expect(headers['content-disposition']).toContain("filename*=UTF-8''b%C3%A4nds.png");
      const record = await json(client.get(`/v1/captures/${headers['x-capture-id']}`));
      expect(headers.etag).toBe(`"${String(record.sha256)}"`);
    });
  });

  it('answers with the record when the request asks for JSON', async () => {
    const record = await client.record({ url: page('bands.html'), reference: 'r-1', full_page: true });
    expect(record).toMatchObject({
      source: 'sync',
      status: 'succeeded',
      reference: 'r-1',
      url: page('bands.html'),
      http_status: 200,
      format: 'png',
      attempts: 1,
      billable: true,
      complete: true,
      missing: null,
      error: null,
    });
    expect(Number(record.height)).toBe(Number(record.page_height));
    const accepted = await client.capture(
      { url: page('bands.html') },
      { headers: { accept: 'application/json' } },
    );
    expect(await json(accepted)).toMatchObject({ status: 'succeeded' });
  });

  it('says in the record what the file lacks', async () => {
    const gone = page('gone.png');
    const record = await client.record({ html: `<p>A boat:</p><img src="${gone}" alt="A boat">` });
    const missing = { reasons: [], glyphs: [], frames: [], images: [{ url: gone }], sections: 0 };
    expect(record).toMatchObject({ complete: true, missing });
    expect(await json(client.get(`/v1/captures/${String(record.id)}`))).toMatchObject({ missing });
  });

  it.each([
    ['a host that refuses', { url: 'http://127.0.0.1:1/' }, 403, 'target_forbidden'],
    ['an unknown field', { url: 'https://example.com', ful_page: true }, 400, 'invalid_request'],
    ['no target', {}, 400, 'invalid_request'],
  ])('refuses %s with a problem', async (_case, options, status, code) => {
    const before = await usage();
    const response = await client.capture(options);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toMatch('application/problem+json');
    expect(await json(response)).toMatchObject({ code, status, type: `/docs/errors#${code}` });
    expect(await usage()).toMatchObject({ used: before.used });
  });

  it.each([
    ['redirect-loop', 'target_redirect_loop', 422],
    ['empty', 'target_empty_response', 422],
    ['download', 'target_not_a_page', 422],
  ])('answers %s with %s and charges nothing', async (path, code, status) => {
    const before = await usage();
    const response = await client.capture({ url: page(path) });
    expect(response.status).toBe(status);
    expect(await json(response)).toMatchObject({ code });
    expect(await usage()).toMatchObject({ used: before.used });
  });

  it('captures an error page of the target and reports its status', async () => {
    expect(await client.record({ url: page('status/404') })).toMatchObject({
      status: 'succeeded',
      http_status: 404,
    });
    const strict = await client.capture({ url: page('status/404'), fail_on_status: ['4xx'] });
    expect(await json(strict)).toMatchObject({ code: 'target_http_error', status: 422 });
    const record = await json(client.get(`/v1/captures/${strict.headers.get('x-capture-id') ?? ''}`));
    expect(record).toMatchObject({ status: 'failed', http_status: 404, title: 'Status 404' });
  });

  it('names the redirects of a page, also from the cache, and until the capture is deleted', async () => {
    const [last, first] = [
      '/redirect?to=/bands.html',
      '/redirect?status=301&to=%2Fredirect%3Fto%3D%2Fbands.html',
    ];
    const redirects = [
      { url: `${site.url}${first}`, status: 301 },
      { url: `${site.url}${last}`, status: 302 },
    ];
    const options = { url: `${site.url}${first}`, cache_ttl_s: 60 };
    const visited = await client.record(options);
    expect(visited).toMatchObject({ redirects, final_url: page('bands.html') });
    expect(await client.record(options)).toMatchObject({ redirects, cache: { status: 'hit' } });
    expect(await client.record({ url: page('bands.html') })).toMatchObject({ redirects: [] });

    const path = `/v1/captures/${String(visited.id)}`;
    await client.send('DELETE', path);
    expect(await json(client.get(path))).toMatchObject({ redirects: null, final_url: null });

    const failed = await client.capture({ url: `${site.url}${first}`, selector: '#no' });
    const record = await json(client.get(`/v1/captures/${failed.headers.get('x-capture-id') ?? ''}`));
    expect(record).toMatchObject({ status: 'failed', redirects });
  });

  it('gives up on a page that never answers after the timeout of the request', async () => {
    const response = await client.capture({ url: page('hang'), timeout_ms: 1_500 });
    expect(response.status).toBe(504);
    expect(await json(response)).toMatchObject({ code: 'capture_timeout', phase: 'navigate' });
  });

  it('continues without the caller that prefers not to wait', async () => {
    const response = await client.capture({ url: page('slow?ms=2500') }, { headers: { prefer: 'wait=1' } });
    expect(response.status).toBe(202);
    const job = await json(response);
    expect(response.headers.get('location')).toBe(`/v1/jobs/${String(job.id)}`);
    expect(job).toMatchObject({ finished_at: null });
    const end = await json(client.get(`/v1/jobs/${String(job.id)}?wait=30`));
    expect(end).toMatchObject({ id: job.id, status: 'succeeded' });
    const file = await client.get(`/v1/jobs/${String(job.id)}/result`);
    expect(file.headers.get('content-type')).toBe('image/png');
  });

  it('cancels the capture when its caller hangs up, and charges nothing', async () => {
    const before = await usage();
    const caller = new AbortController();
    const gone = client.capture({ url: page('hang-body'), reference: 'gone' }, { signal: caller.signal });
    await eventually('the page is visited', () => site.requests('/hang-body').length > 0);
    caller.abort();
    await expect(gone).rejects.toThrow();
    await eventually('the capture is canceled', async () => {
      const { items } = (await json(client.get('/v1/captures?reference=gone'))) as { items: Json[] };
      return items[0]?.status === 'canceled' && items[0].cancel_reason === 'client_disconnected';
    });
    expect(await usage()).toMatchObject({ used: before.used });
  });

  it('survives the death of its browser in the middle of a capture', async () => {
    const capturing = client.capture({ url: page('slow?ms=1500'), reference: 'killed' });
    await eventually('the page is visited', () => site.requests('/slow').length > 1);
    const killed = browsers();
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    expect(killed.length).toBeGreaterThan(0);
    const response = await capturing;
    if (!response.ok) expect(await json(response)).toMatchObject({ code: 'browser_crashed' });
    expect((await client.capture({ url: page('bands.html') })).status).toBe(200);
  });

  it('serves a file in parts, and answers 304 to a client that has it', async () => {
    const { id } = await client.record({ url: page('bands.html') });
    const path = `/v1/captures/${String(id)}/result`;
    const whole = await client.get(path);
    const bytes = Buffer.from(await whole.arrayBuffer());
    const etag = whole.headers.get('etag') ?? '';
    const part = await client.get(path, { range: 'bytes=1-3' });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes 1-3/${bytes.length}`);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(1, 4));
    expect((await client.get(path, { 'if-none-match': etag })).status).toBe(304);
    const beyond = await client.get(path, { range: `bytes=${bytes.length}-` });
    expect(beyond.status).toBe(416);
    const head = await client.send('HEAD', path);
    expect(head.headers.get('content-length')).toBe(String(bytes.length));
  });

  it('keeps secrets out of the record', async () => {
    const record = await client.record({
      url: page('echo'),
      headers: { 'X-Secret': 'hunter2' },
      cookies: [{ name: 'session', value: 'hunter3' }],
    });
    expect(record.options).toMatchObject({ headers: '[redacted]', cookies: '[redacted]' });
    expect(JSON.stringify(record)).not.toMatch(/hunter/);
    const seen = site.requests('/echo').at(-1)?.headers;
    expect(seen).toMatchObject({ 'x-secret': 'hunter2', cookie: 'session=hunter3' });
  });

  it('lists all captures, newest first, page by page', async () => {
    for (const reference of ['h', 'h', 'h']) await client.record({ url: page('bands.html'), reference });
    const first = (await json(client.get('/v1/captures?reference=h&limit=2'))) as {
      items: Json[];
      next_cursor: string;
    };
    const rest = (await json(
      client.get(`/v1/captures?reference=h&limit=2&cursor=${encodeURIComponent(first.next_cursor)}`),
    )) as { items: Json[]; next_cursor: null };
    const ids = [...first.items, ...rest.items].map(({ id }) => String(id));
    expect(ids).toHaveLength(3);
    expect(ids).toEqual([...ids].sort().reverse());
    expect(rest.next_cursor).toBeNull();
  });

  it('reports its health and its version', async () => {
    expect(await json(client.get('/v1/health'))).toMatchObject({
      status: 'ok',
      checks: { database: { status: 'ok' }, queue: { status: 'ok' }, workers: { count: 1, slots: 2 } },
    });
    const { browser } = await json(client.get('/v1/version'));
    expect(browser).toMatch(/\d+\.\d+/);
    for (const probe of ['livez', 'readyz', 'startupz']) {
      expect((await fetch(`${apps.url}/${probe}`)).status).toBe(200);
      expect((await fetch(`${apps.worker.url}/${probe}`)).status).toBe(200);
    }
  });
});
