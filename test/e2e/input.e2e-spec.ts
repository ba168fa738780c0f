import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json } from '../support/client.js';
import { startFixtureSite, type FixtureSite } from '../support/fixture-site.js';
import { freePort } from '../support/free-port.js';
import { refusalOf } from '../input/refusal.js';

/** Bad input that only the browser finds: the capture is accepted, then fails, and is not charged. */
describe('bad input that only shows on the page', () => {
  let site: FixtureSite;
  let closed: number;
  let apps: Apps;
  let client: Client;

  beforeAll(async () => {
    site = await startFixtureSite();
    closed = await freePort();
    apps = await startApps({ EGRESS_ALLOW: `127.0.0.1:${site.port},127.0.0.1:${closed}`, WORKER_SLOTS: '1' });
    client = new Client(apps);
  }, 120_000);

  afterAll(async () => {
    await apps.stop();
    await site.close();
  });

  const page = () => `${site.url}/bands.html`;

  it.each([
    ['a host name that does not resolve', () => ({ url: 'http://nowhere.invalid/' }), '422 target_dns_error'],
    ['a closed port', () => ({ url: `http://127.0.0.1:${closed}/` }), '422 target_connection_failed'],
    ['no TLS', () => ({ url: `https://127.0.0.1:${site.port}/` }), '422 target_tls_error'],
    ['a missing element', () => ({ url: page(), selector: '#nowhere' }), '422 selector_not_found'],
    [
      'a selector that only browsers refuse',
      () => ({ url: page(), selector: ':nth-child(x)' }),
      '422 selector_not_found',
    ],
    [
      'a missing element to click',
      () => ({ url: page(), click_selector: '#nowhere' }),
      '422 selector_not_found',
    ],
    [
      'an awaited element that never appears',
      () => ({ url: page(), wait_for_selector: '#nowhere', timeout_ms: 1_500 }),
      '504 capture_timeout',
    ],
    [
      'a clip outside the page',
      () => ({ url: page(), clip_x: 90_000, clip_y: 0, clip_width: 10, clip_height: 10 }),
      '422 clip_out_of_bounds',
    ],
    [
      'a page range past the last page',
      () => ({ url: page(), format: 'pdf', pdf_page_ranges: '900-901' }),
      '422 page_range',
    ],
    ['a script that throws', () => ({ url: page(), js: 'throw new Error("no")' }), '422 script_failed'],
    ['a script that does not parse', () => ({ url: page(), js: '}{' }), '422 script_failed'],
    [
      'an expression that does not parse',
      () => ({ url: page(), wait_for_function: '}{' }),
      '422 script_failed',
    ],
  ])('%s', async (_, options, refusal) => {
    const { used } = await json(client.get('/v1/usage'));
    const response = await client.capture(options());
    const id = response.headers.get('x-capture-id');
    // The address of the test site is not a secret of the service.
    const problem = JSON.stringify(await json(response)).replaceAll('127.0.0.1', 'site.test');
    const { status, headers } = response;
    expect(await refusalOf(new Response(problem, { status, headers }))).toBe(refusal);
    expect(await json(client.get(`/v1/captures/${id}`))).toMatchObject({
      status: 'failed',
      billable: false,
      result_url: null,
    });
    expect(await json(client.get('/v1/usage'))).toMatchObject({
      used,
      concurrency: { remaining: expect.any(Number) },
    });
  });

  it('does not affect the next capture', async () => {
    expect((await client.capture({ url: page() })).status).toBe(200);
  });
});
