import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Site } from '../../../../test/support/site.js';
import { Visits } from './visits.conformance.js';

const PAGE = `<link rel="stylesheet" href="/style.css"><img src="/picture.png"><img src="/ads/banner.png?x=1">
<script src="/code.js"></script><iframe src="/frame"></iframe>`;

const site = new Site({
  '/page': PAGE,
  '/frame': '<p>frame',
  '/style.css': (_, response) => response.setHeader('content-type', 'text/css').end('p { color: red }'),
  '/code.js': (_, response) => response.setHeader('content-type', 'text/javascript').end('0'),
});
const visits = new Visits();

beforeAll(async () => {
  await Promise.all([site.open(), visits.open()]);
});

afterAll(async () => {
  await Promise.all([site.close(), visits.close()]);
});

const ALL = ['/ads/banner.png?x=1', '/code.js', '/frame', '/page', '/picture.png', '/style.css'];

async function loadedWith(options: Record<string, unknown>): Promise<{ loaded: string[]; blocked: number }> {
  site.forget();
  const blocked = await visits.readFrom({ url: site.url('/page'), ...options }, (visit) =>
    Promise.resolve(visit.facts.blocked.rules),
  );
  const loaded = site.requests.map(({ url }) => url ?? '').filter((url) => url !== '/favicon.ico');
  return { loaded: loaded.sort(), blocked };
}

describe('blocking options', () => {
  it('block nothing by default or when empty', async () => {
    expect(await loadedWith({})).toEqual({ loaded: ALL, blocked: 0 });
    expect(await loadedWith({ block_resource_types: [], block_urls: [] })).toEqual({
      loaded: ALL,
      blocked: 0,
    });
  });

  it('block requests by resource type and count them', async () => {
    const { loaded, blocked } = await loadedWith({ block_resource_types: ['image', 'stylesheet'] });
    expect(loaded).toEqual(['/code.js', '/frame', '/page']);
    expect(blocked).toBe(3);
  });

  it('block requests by URL, also of frames', async () => {
    const { loaded, blocked } = await loadedWith({ block_urls: ['*/ads/*', '*/frame'] });
    expect(loaded).toEqual(ALL.filter((path) => !['/ads/banner.png?x=1', '/frame'].includes(path)));
    expect(blocked).toBe(2);
  });

  it('never block the target itself', async () => {
    expect((await loadedWith({ block_urls: ['*'] })).loaded).toEqual(['/page']);
  });
});
