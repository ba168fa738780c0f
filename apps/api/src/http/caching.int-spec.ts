import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SCOPES } from '@app/auth';
import { Env } from '@app/config';
import { FileLinksService } from '@app/jobs';
import { AppError, SecretBox, SystemClock } from '@app/kernel';
import { reportWorker } from '../../../../test/support/reported-worker.js';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import {
  HOOK,
  LOG_IN,
  MONITOR,
  PAGE,
  PICTURE,
  ROUTES,
  SESSION,
  type Caller,
  type Case,
  type Ids,
} from '../../../../test/support/cached-routes.js';
import { json } from '../../../../test/support/client.js';
import { exchange, hangUp } from '../../../../test/support/raw-http.js';
import { API_DOCS } from '../api.docs.js';
import { buildOpenApi } from '../openapi/document.js';
import { JSON_LIMIT_BYTES } from './body/json-body.js';

/**
 * What may be kept. All files but those of links and thumbnails must be revalidated: they have an ETag, and may be deleted.
 */
const CACHED: Readonly<Record<string, string>> = {
  listDevices: 'private, no-cache',
  getCaptureResult: 'private, no-cache',
  getCaptureFile: 'private, no-cache',
  getCaptureThumbnail: 'private, max-age=3600, immutable',
  downloadCaptureFiles: 'private, no-cache',
  getJobResult: 'private, no-cache',
  getSessionPicture: 'private, no-cache',
  getLinkedFile: 'private, no-cache',
  getLinkedNamedFile: 'private, no-cache',
  getLinkedCapture: 'public, max-age=86400, stale-while-revalidate=0',
};

describe('Cache-Control', () => {
  let api: TestApi;
  let caller: Caller;
  let ids: Ids;

  beforeAll(async () => {
    api = await startApi();
    // Before the first capture: its browser is a part of the key of the cache.
    const worker = await reportWorker(api.app);
    caller = await api.client({}, SCOPES);
    const link = String((await json(caller.post('/v1/links', { ...PAGE, expires_in_s: 604_800 }))).url);
    const shown = fetch(link);
    await (await api.claim(caller)).succeed();
    await shown;
    await caller.submit(PAGE);
    const done = await api.claim(caller);
    await done.succeed(PICTURE);
    const { id: queued } = await json(caller.submit(PAGE));
    const { id: batch } = await json(caller.post('/v1/bulk/json', { items: [PAGE] }));
    const { id: delivery } = await json(caller.post('/v1/webhooks/test', { url: HOOK }));
    const { id: monitor } = await json(caller.post('/v1/monitors', MONITOR));
    const { id: crawl } = await json(caller.post('/v1/crawls', PAGE));
    const { id: session } = await json(caller.post('/v1/sessions', { ...SESSION, login: LOG_IN }));
    // As if the capture had been its log-in.
    await api.database.query(`UPDATE sessions SET last_job_id = $2 WHERE id = $1`, [session, done.id]);
    const made = { batch: String(batch), delivery: String(delivery), monitor: String(monitor) };
    const other = await api.client();
    const managed = { account: other.accountId, key: other.apiKey.slice(4, 20) };
    ids = {
      done: done.id,
      queued: String(queued),
      ...made,
      ...managed,
      crawl: String(crawl),
      session: String(session),
      worker,
      link,
      file: linksTo(done.id),
    };
  });

  const linksTo = (captureId: string): Ids['file'] => {
    const env = Object.assign(new Env(), { PUBLIC_URL: api.url });
    const links = new FileLinksService(env, api.app.get(SecretBox, { strict: false }), new SystemClock());
    const [first, named] = [null, 'result'].map((name) => links.linkTo({ captureId, name }) ?? '');
    return { first: first ?? '', named: named ?? '' };
  };

  afterAll(async () => {
    hangUp();
    await api.close();
  });

  /** Whether the status is as expected, and the header. The body is not read: a stream of events would not end. */
  async function cacheControlOf([ask, status]: Case): Promise<[boolean, string | null]> {
    const response = await ask(caller, ids);
    await response.body?.cancel();
    return [response.status === status, response.headers.get('cache-control')];
  }

  it('is tested for every operation', () => {
    const operations = Object.values(buildOpenApi(api.app, API_DOCS).paths).flatMap((path) =>
      Object.values(path).map((operation) => (operation as { operationId?: string }).operationId),
    );
    expect(operations.sort()).toEqual(Object.keys(ROUTES).sort());
  });

  it.each(Object.entries(ROUTES))(
    'of %s forbids to store anything but files and devices',
    async (name, [good, bad]) => {
      expect(await cacheControlOf(good)).toEqual([true, CACHED[name] ?? 'no-store']);
      expect(await cacheControlOf(bad)).toEqual([true, 'no-store']);
    },
  );

  it('of a synchronous capture depends on what the response is', async () => {
    const owner = await api.client();
    const file = owner.capture(PAGE);
    await (await api.claim(owner)).succeed();
    expect((await file).headers.get('cache-control')).toBe('private, no-cache');
    const record = owner.capture({ ...PAGE, response: 'json' });
    await (await api.claim(owner)).succeed();
    expect((await record).headers.get('cache-control')).toBe('no-store');
    const failed = owner.capture(PAGE);
    await (await api.claim(owner)).fail(new AppError('target_dns_error'));
    expect((await failed).headers.get('cache-control')).toBe('no-store');
  });

  it('comes with a Vary that names what a response of POST /v1/capture depends on', async () => {
    const owner = await api.client();
    const file = owner.capture(PAGE);
    await (await api.claim(owner)).succeed();
    const accepted = owner.post('/v1/capture', PAGE, { prefer: 'wait=1' });
    for (const answer of [await file, await accepted]) {
      const vary = answer.headers.get('vary')?.toLowerCase().split(/,\s*/);
      expect(vary).toEqual(expect.arrayContaining(['accept', 'prefer']));
    }
  });

  it('of a 304 is that of the file', async () => {
    const path = `/v1/captures/${ids.done}/result`;
    const etag = (await caller.get(path)).headers.get('etag') ?? '';
    const again = await caller.get(path, { 'if-none-match': etag });
    expect([again.status, again.headers.get('cache-control')]).toEqual([304, 'private, no-cache']);
    const beyond = await caller.get(path, { range: 'bytes=1000-' });
    expect([beyond.status, beyond.headers.get('cache-control')]).toEqual([416, 'no-store']);
  });

  it.each<[string, string, number]>([
    ['an unknown route', '/v1/nothing', 404],
    ['a URL that cannot be decoded', '/v1/captures/%ff', 404],
    ['a probe', '/livez', 200],
    ['a probe that checks the database', '/readyz', 200],
  ])('of %s is no-store', async (_, path, status) => {
    expect(await cacheControlOf([() => caller.get(path), status])).toEqual([true, 'no-store']);
    expect(await cacheControlOf([() => caller.send('HEAD', path), status])).toEqual([true, 'no-store']);
  });

  it('of a body that is too long is no-store', async () => {
    const ask = () => caller.post('/v1/jobs', { html: 'x'.repeat(JSON_LIMIT_BYTES) });
    expect(await cacheControlOf([ask, 413])).toEqual([true, 'no-store']);
  });

  it.each([
    ['bytes that are not a request', 'NONSENSE\r\n\r\n', 400],
    ['two hosts', 'GET /v1/version HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n', 400],
    [
      'more than 16 kB of headers',
      `GET /v1/version HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
    ],
    ['a preflight', 'OPTIONS /v1/usage HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 405],
  ])('of %s is no-store', async (_, bytes, status) => {
    const { statuses, headers } = await exchange(api.url, bytes);
    expect([statuses, headers.get('cache-control')]).toEqual([[status], 'no-store']);
  });

  it.each(['/docs', '/docs/openapi.json', '/docs/errors', '/docs/swagger-ui.css'])(
    'of %s lets a browser keep it and revalidate it',
    async (path) => {
      expect(await cacheControlOf([() => caller.get(path), 200])).toEqual([true, 'no-cache']);
    },
  );
});
