import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Arena, itSurvives } from '../support/arena.js';

// The pool logs every browser that dies here.
Logger.overrideLogger(false);

let arena: Arena;
beforeAll(async () => {
  arena = await Arena.open({ hosts: 50, BROWSER_MAX_DECODED_BYTES: 30e6 });
});
afterAll(() => arena.close());

describe('a hostile server', () => {
  itSurvives(
    () => arena,
    [
      {
        title: 'P5 streams HTML endlessly',
        page: '/stream',
        options: { timeout_ms: 2_000 },
        ends: ['capture_timeout', 'resource_limit'],
      },
      {
        title: 'P5 streams HTML endlessly and slowly',
        page: '/trickle',
        options: { timeout_ms: 1_500 },
        ends: ['capture_timeout'],
      },
      {
        title: 'P5 streams HTML endlessly and slowly, with on_timeout capture',
        page: '/trickle',
        options: { timeout_ms: 4_000, on_timeout: 'capture' },
        ends: ['file'],
        facts: { title: 'Trickle', complete: false },
      },
      {
        title: 'P6 sends a byte every 10 s',
        page: '/drip',
        options: { navigation_timeout_ms: 1_000 },
        ends: ['capture_timeout'],
      },
      {
        title: 'P6 sends headers endlessly',
        page: '/drip-headers',
        options: { navigation_timeout_ms: 1_000 },
        ends: ['capture_timeout'],
      },
      { title: 'P7 redirects endlessly', page: '/redirects', ends: ['target_redirect_loop'] },
      {
        title: 'P13 sends a page that unpacks to 10 GB',
        page: '/bomb',
        ends: ['resource_limit'],
        detail: /loaded more than 30000000 bytes/,
      },
      {
        title: 'P13 sends a frame that unpacks to 10 GB',
        page: '/bomb-in-a-frame',
        ends: ['resource_limit'],
        detail: /loaded more than 30000000 bytes/,
      },
      {
        title: 'P13 sends a worker a response that unpacks to 10 GB',
        page: '/bomb-in-a-worker',
        options: { wait_for_function: 'false' },
        ends: ['resource_limit'],
        detail: /loaded more than 30000000 bytes/,
      },
      { title: 'P15 sends an attachment', page: '/attachment', ends: ['target_not_a_page'] },
      { title: 'P15 sends an archive', page: '/zip', ends: ['target_not_a_page'] },
      {
        title: 'P15 sends a page that starts a download',
        page: '/to-a-download',
        options: { delay_ms: 300 },
        ends: ['file'],
        facts: { title: 'Downloads' },
      },
      {
        title: 'P16 has 200 images on 50 hosts',
        page: 'images.html?count=200',
        options: { timeout_ms: 60_000 },
        ends: ['file'],
        facts: { title: 'Images', complete: true, failedRequests: 0 },
      },
      {
        title: 'P16 has 5,000 images on 50 hosts',
        page: 'images.html?count=5000',
        options: { timeout_ms: 4_000, on_timeout: 'capture' },
        ends: ['file', 'capture_timeout'],
        facts: { title: 'Images' },
      },
      {
        title: 'P17 keeps its network busy',
        page: 'chatter.html',
        options: { wait_until: 'networkidle', timeout_ms: 2_500 },
        ends: ['capture_timeout'],
      },
      {
        title: 'P17 keeps its network busy, with on_timeout capture',
        page: 'chatter.html',
        options: { wait_until: 'networkidle', timeout_ms: 4_000, on_timeout: 'capture' },
        ends: ['file'],
        facts: { title: 'Chatter', complete: false },
      },
      {
        title: 'P17 keeps its network busy, and wait_until auto is bounded',
        page: 'chatter.html',
        options: { wait_until: 'auto' },
        ends: ['file'],
        facts: { title: 'Chatter', complete: true },
      },
      {
        title: 'P19 sends a page that requests private addresses',
        page: 'probes.html',
        ends: ['file'],
        facts: { title: 'Probes' },
      },
      {
        title: 'P21 asks for a password',
        page: '/basic',
        ends: ['file'],
        facts: { title: 'Who?', httpStatus: 401 },
      },
    ],
  );

  it('P18 registers a service worker, which the next capture does not see', async () => {
    const first = await arena.visit('worker.html', { wait_for_function: 'window.isMine === true' });
    expect(first).toMatchObject({ end: 'file', facts: { title: 'Mine' } });
    const second = await arena.visit('storages.html', { wait_for_function: 'document.title !== ""' });
    expect(second).toMatchObject({ end: 'file', facts: { title: ',0,0,0,0' } });
    await arena.expectClean();
  });

  it('P18 is served by its own service worker within a capture', async () => {
    // Otherwise the previous test would prove nothing.
    const script = 'window.isMine && location.reload(); document.title === "Hijacked"';
    const outcome = await arena.visit('worker.html', {
      wait_for_function: `(() => { ${script.replace('; ', '; return ')} })()`,
    });
    expect(outcome).toMatchObject({ end: 'file', facts: { title: 'Hijacked' } });
    await arena.expectClean();
  });

  it('P21 asks for the proxy password and does not get it', async () => {
    const { end } = await arena.visit('/proxy-auth');
    expect(['file', 'target_connection_failed']).toContain(end);
    const asked = arena.site.requests.filter(({ url }) => url === '/proxy-auth');
    expect(asked.map(({ headers }) => headers['proxy-authorization'] ?? headers.authorization)).toEqual([
      undefined,
    ]);
    await arena.expectClean();
  });
});
