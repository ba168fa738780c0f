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

type Owner = Client & { readonly accountId: string };

/** The kind of resource that a stranger requests, and the status that its owner gets. */
interface Route {
  readonly resource:
    'finished capture' | 'unwanted capture' | 'queued job' | 'finished batch' | 'queued batch' | 'delivery';
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
    ids = {
      'finished capture': finished,
      'unwanted capture': unwanted,
      'queued job': queued,
      'finished batch': (await insertBatch(api.database, { accountId, rows: 0, rejected: 1 })).id,
      'queued batch': (await insertBatch(api.database, { accountId, rows: 1 })).id,
      delivery: String((await json(owner.post('/v1/webhooks/test', { url: 'https://example.com/hook' }))).id),
    };
  });

  afterAll(async () => {
    await api.close();
  });

  const recordRouteOf = (resource: Route['resource']): string => {
    if (resource === 'delivery') return '/v1/webhooks/deliveries';
    return resource.endsWith('batch') ? '/v1/bulk' : '/v1/captures';
  };
  const record = async (resource: Route['resource']): Promise<Json> =>
    json(owner.get(`${recordRouteOf(resource)}/${ids[resource]}`));
  /** The problem document without the request id. */
  const problem = async (response: Response): Promise<Json> => {
    const { request_id: _, ...rest } = await json(response);
    return rest;
  };

  it('are requested at every route that takes an id', async () => {
    const { paths } = (await json(owner.get('/docs/openapi.json'))) as { paths: Record<string, Json> };
    const routes = Object.entries(paths)
      .filter(([path]) => path.includes('{'))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
    expect(routes.sort()).toEqual(Object.keys(ROUTES).sort());
  });

  it.each(Object.entries(ROUTES))(
    'are not found and stay unchanged: %s',
    async (route, { resource, owners }) => {
      const [method = '', path = ''] = route.split(' ');
      const at = (id: string): string => path.replace('{id}', id).replace('{name}', 'result');
      const before = await record(resource);
      for (const each of method === 'GET' ? ['GET', 'HEAD'] : [method]) {
        expect((await stranger.send(each, at(ids[resource]))).status).toBe(404);
      }
      expect(await refusalOf(stranger.send(method, at(ids[resource])))).toBe('404 not_found');
      const [foreign, unknown] = [
        await problem(await stranger.send(method, at(ids[resource]))),
        await problem(await stranger.send(method, at(newId()))),
      ];
      expect(foreign).toEqual(unknown);
      expect(await record(resource)).toEqual(before);
      const own = await owner.send(method, at(ids[resource]));
      await own.text();
      expect(own.status).toBe(owners);
    },
  );

  it('are in no list and no statistics', async () => {
    expect(await json(stranger.get('/v1/captures'))).toEqual({ items: [], next_cursor: null });
    expect((await json(owner.get('/v1/captures'))).items).toHaveLength(5);
    expect(await json(stranger.get('/v1/captures/stats'))).toMatchObject({ total: 0 });
    expect(await json(stranger.get('/v1/webhooks/deliveries'))).toEqual({ items: [], next_cursor: null });
    expect(await json(stranger.get('/v1/usage'))).toMatchObject({ used: 0 });
    expect(await json(stranger.get('/v1/usage/days'))).toMatchObject({ total: 0, used: 0 });
    expect(await json(stranger.get('/v1/bulk'))).toEqual({ items: [], next_cursor: null });
    expect((await json(owner.get('/v1/bulk'))).items).toHaveLength(2);
  });
});
