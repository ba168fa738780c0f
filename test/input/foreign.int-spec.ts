import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { newId } from '@app/kernel';
import { startApi, type TestApi } from '../support/api.js';
import { insertBatch } from '../support/batch-rows.js';
import { json, type Client, type Json } from '../support/client.js';
import { refusalOf } from './refusal.js';

/** Routes make other pictures of it. */
const PICTURE = await sharp({ create: { width: 30, height: 20, channels: 3, background: '#d02020' } })
  .png()
  .toBuffer();

const JSON_BODY = { 'content-type': 'application/json' };

/** Where the owner of each kind of resource reads it. */
const RECORDS = {
  'finished capture': '/v1/captures',
  'unwanted capture': '/v1/captures',
  'queued job': '/v1/captures',
  'finished batch': '/v1/bulk',
  'queued batch': '/v1/bulk',
  delivery: '/v1/webhooks/deliveries',
  monitor: '/v1/monitors',
  'unwanted monitor': '/v1/monitors',
  session: '/v1/sessions',
  'unwanted session': '/v1/sessions',
  crawl: '/v1/crawls',
  'unwanted crawl': '/v1/crawls',
} as const;

type Owner = Client & { readonly accountId: string };

/** The kind of resource that a stranger requests, and the status that its owner gets. */
interface Route {
  readonly resource: keyof typeof RECORDS;
  readonly owners: number;
}

/** Every route that takes an id. A route of the document that is missing here fails a test. */
const ROUTES: Readonly<Record<string, Route>> = {
  'GET /v1/captures/{id}': { resource: 'finished capture', owners: 200 },
  'GET /v1/captures/{id}/result': { resource: 'finished capture', owners: 200 },
  'GET /v1/captures/{id}/files/{name}': { resource: 'finished capture', owners: 200 },
  'GET /v1/captures/{id}/thumbnail': { resource: 'finished capture', owners: 200 },
  'GET /v1/captures/{id}/files.zip': { resource: 'finished capture', owners: 200 },
  'DELETE /v1/captures/{id}': { resource: 'unwanted capture', owners: 200 },
  'GET /v1/jobs/{id}': { resource: 'finished capture', owners: 200 },
  'GET /v1/jobs/{id}/events': { resource: 'finished capture', owners: 200 },
  'GET /v1/jobs/{id}/result': { resource: 'finished capture', owners: 200 },
  'DELETE /v1/jobs/{id}': { resource: 'queued job', owners: 200 },
  'GET /v1/bulk/{id}': { resource: 'finished batch', owners: 200 },
  'GET /v1/bulk/{id}/download': { resource: 'finished batch', owners: 200 },
  'GET /v1/bulk/{id}/files.zip': { resource: 'finished batch', owners: 200 },
  'GET /v1/bulk/{id}/events': { resource: 'finished batch', owners: 200 },
  'GET /v1/bulk/{id}/results': { resource: 'finished batch', owners: 200 },
  'DELETE /v1/bulk/{id}': { resource: 'queued batch', owners: 200 },
  'GET /v1/webhooks/deliveries/{id}': { resource: 'delivery', owners: 200 },
  'POST /v1/webhooks/deliveries/{id}/replay': { resource: 'delivery', owners: 202 },
  'GET /v1/monitors/{id}': { resource: 'monitor', owners: 200 },
  'PATCH /v1/monitors/{id}': { resource: 'monitor', owners: 200 },
  'DELETE /v1/monitors/{id}': { resource: 'unwanted monitor', owners: 204 },
  'GET /v1/monitors/{id}/checks': { resource: 'monitor', owners: 200 },
  'POST /v1/monitors/{id}/run': { resource: 'monitor', owners: 202 },
  'POST /v1/monitors/{id}/pause': { resource: 'monitor', owners: 200 },
  'POST /v1/monitors/{id}/resume': { resource: 'monitor', owners: 200 },
  'GET /v1/crawls/{id}': { resource: 'crawl', owners: 200 },
  'GET /v1/crawls/{id}/pages': { resource: 'crawl', owners: 200 },
  'GET /v1/crawls/{id}/broken': { resource: 'crawl', owners: 200 },
  'GET /v1/crawls/{id}/download': { resource: 'crawl', owners: 200 },
  'DELETE /v1/crawls/{id}': { resource: 'unwanted crawl', owners: 200 },
  'GET /v1/sessions/{id}': { resource: 'session', owners: 200 },
  'DELETE /v1/sessions/{id}': { resource: 'unwanted session', owners: 204 },
  'POST /v1/sessions/{id}/login': { resource: 'session', owners: 202 },
  'GET /v1/sessions/{id}/picture': { resource: 'session', owners: 200 },
};

describe('resources of other accounts', () => {
  let api: TestApi;
  let owner: Owner;
  let stranger: Owner;
  let ids: Record<Route['resource'], string>;

  beforeAll(async () => {
    api = await startApi();
    [owner, stranger] = [await api.client(), await api.client()];
    const submit = async (): Promise<string> =>
      String((await json(owner.submit({ url: 'https://example.com/' }))).id);
    const finished = await submit();
    await (await api.claim(owner)).succeed(PICTURE);
    const unwanted = await submit();
    await (await api.claim(owner)).succeed(PICTURE);
    const queued = await submit();
    const { accountId } = owner;
    const made = async (path: string, body: Json): Promise<string> =>
      String((await json(owner.post(path, body))).id);
    const page = { url: 'https://example.com/' };
    const monitor = (): Promise<string> =>
      made('/v1/monitors', { schedule: { every_s: 86_400 }, capture: page });
    const session = (name: string): Promise<string> =>
      made('/v1/sessions', {
        name,
        origins: ['https://example.com'],
        state: { cookies: [], origins: [] },
        login: { ...page, actions: [{ type: 'wait', ms: 1 }] },
      });
    ids = {
      'finished capture': finished,
      'unwanted capture': unwanted,
      'queued job': queued,
      'finished batch': (await insertBatch(api.database, { accountId, rows: 0, rejected: 1 })).id,
      'queued batch': (await insertBatch(api.database, { accountId, rows: 1 })).id,
      delivery: await made('/v1/webhooks/test', { url: 'https://example.com/hook' }),
      monitor: await monitor(),
      'unwanted monitor': await monitor(),
      session: await session('shop'),
      'unwanted session': await session('unwanted'),
      crawl: await made('/v1/crawls', page),
      'unwanted crawl': await made('/v1/crawls', page),
    };
    // As if the capture had been its log-in.
    await api.database.query(`UPDATE sessions SET last_job_id = $2 WHERE id = $1`, [ids.session, finished]);
  });

  afterAll(async () => {
    await api.close();
  });

  const record = async (resource: Route['resource']): Promise<Json> =>
    json(owner.get(`${RECORDS[resource]}/${ids[resource]}`));
  /** The problem document without the request id. */
  const problem = async (response: Response): Promise<Json> => {
    const { request_id: _, ...rest } = await json(response);
    return rest;
  };

  it('are requested at every route that takes an id', async () => {
    const { paths } = (await json(owner.get('/docs/openapi.json'))) as { paths: Record<string, Json> };
    const routes = Object.entries(paths)
      // Operators manage all accounts; apps/api/src/scopes.int-spec.ts says who they are. A signature opens files to anybody.
      .filter(([path]) => path.includes('{') && !/^\/v1\/(admin|files)\//.test(path))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
    expect(routes.sort()).toEqual(Object.keys(ROUTES).sort());
  });

  it.each(Object.entries(ROUTES))(
    'are not found and stay unchanged: %s',
    async (route, { resource, owners }) => {
      const [method = '', path = ''] = route.split(' ');
      const at = (id: string): string => path.replace('{id}', id).replace('{name}', 'result');
      const ask = (client: Client, each: string, id: string): Promise<Response> =>
        client.send(each, at(id), each === 'PATCH' ? { headers: JSON_BODY, body: '{}' } : {});
      const before = await record(resource);
      for (const each of method === 'GET' ? ['GET', 'HEAD'] : [method]) {
        expect((await ask(stranger, each, ids[resource])).status).toBe(404);
      }
      expect(await refusalOf(ask(stranger, method, ids[resource]))).toBe('404 not_found');
      const [foreign, unknown] = [
        await problem(await ask(stranger, method, ids[resource])),
        await problem(await ask(stranger, method, newId())),
      ];
      expect(foreign).toEqual(unknown);
      expect(await record(resource)).toEqual(before);
      const own = await ask(owner, method, ids[resource]);
      await own.text();
      expect(own.status).toBe(owners);
    },
  );

  it('are in no list and no statistics', async () => {
    expect(await json(stranger.get('/v1/captures'))).toEqual({ items: [], next_cursor: null });
    expect((await json(owner.get('/v1/captures'))).items).toHaveLength(7);
    expect(await json(stranger.get('/v1/captures/stats'))).toMatchObject({ total: 0 });
    expect(await json(stranger.get('/v1/webhooks/deliveries'))).toEqual({ items: [], next_cursor: null });
    expect(await json(stranger.get('/v1/usage'))).toMatchObject({ used: 0 });
    expect(await json(stranger.get('/v1/usage/days'))).toMatchObject({ total: 0, used: 0 });
    expect(await json(stranger.get('/v1/bulk'))).toEqual({ items: [], next_cursor: null });
    // Each crawl has a batch of its own.
    expect((await json(owner.get('/v1/bulk'))).items).toHaveLength(4);
    expect(await json(stranger.get('/v1/crawls'))).toEqual({ items: [], next_cursor: null });
  });
});
