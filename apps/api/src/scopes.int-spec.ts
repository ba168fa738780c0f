import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { ModulesContainer, Reflector } from '@nestjs/core';
import { ApiKeysService, SCOPES, type Scope } from '@app/auth';
import { startApi, type TestApi } from '../../../test/support/api.js';
import { json, type Client } from '../../../test/support/client.js';
import { reportWorker } from '../../../test/support/reported-worker.js';
import { PUBLIC } from './http/auth/caller.js';
import { SCOPE, type RouteScope } from './http/auth/scope.js';

interface Operation {
  readonly method: string;
  readonly path: string;
  /** Undefined for a route that needs no key. */
  readonly scope: RouteScope | undefined;
}

/** What one account has, by the part of a path before its id. */
type Resources = Readonly<Record<string, string>>;

interface Owner {
  readonly accountId: string;
  readonly keys: ReadonlyMap<Scope, Client>;
  readonly resources: Resources;
}

const PAGE = { url: 'https://example.com/' };
/** Routes that need no key; a signature opens those of files. */
const UNKEYED = ['/v1/version', '/v1/render', '/v1/files/{id}', '/v1/files/{id}/{name}'];
/** Their rows change with each request: when a key was used last, and what is left of a rate. */
const UNSTABLE = ['api_keys', 'rate_buckets', 'migrations'];

describe('scopes', () => {
  let api: TestApi;
  let operations: Operation[];
  let own: Owner;
  let other: Owner;

  beforeAll(async () => {
    api = await startApi({ EGRESS_ALLOW: 'hooks.example:443' });
    operations = await readOperations(api.url);
    own = await newOwner();
    other = await newOwner();
  });

  afterAll(() => api.close());

  async function newOwner(): Promise<Owner> {
    const client = await api.client();
    const { accountId } = client;
    const keys = new Map<Scope, Client>();
    let keyId = '';
    for (const scope of SCOPES) {
      const made = await api.app
        .get(ApiKeysService, { strict: false })
        .create(accountId, scope, { scopes: [scope] });
      keys.set(scope, client.withKey(made.key));
      if (scope === 'read') keyId = made.id;
    }
    const { id: job } = await json(client.submit({ ...PAGE, webhook_url: 'https://hooks.example/' }));
    await (await api.claim(client)).succeed();
    const { id: batch } = await json(client.post('/v1/bulk/json', { items: [PAGE] }));
    await (await api.claim(client)).succeed();
    const session = await json(
      client.post('/v1/sessions', {
        name: 'shop',
        origins: ['https://shop.example'],
        state: { cookies: [], origins: [] },
      }),
    );
    const monitor = await json(client.post('/v1/monitors', { capture: PAGE, schedule: { every_s: 60 } }));
    const crawl = await json(client.post('/v1/crawls', PAGE));
    const deliveries = await json(client.get('/v1/webhooks/deliveries'));
    const [delivery] = deliveries.items as { id: string }[];
    return {
      accountId,
      keys,
      resources: {
        '/v1/captures': String(job),
        '/v1/jobs': String(job),
        '/v1/bulk': String(batch),
        '/v1/sessions': String(session.id),
        '/v1/monitors': String(monitor.id),
        '/v1/crawls': String(crawl.id),
        '/v1/webhooks/deliveries': delivery?.id ?? '',
        '/v1/admin/accounts': accountId,
        '/v1/admin/keys': keyId,
        '/v1/admin/batches': String(batch),
        '/v1/admin/workers': await reportWorker(api.app),
      },
    };
  }

  const call = (
    { method, path }: Operation,
    client: Client | undefined,
    resources: Resources,
    body = '{}',
  ) => {
    const filled = path.replace(/^(.*)\/\{id\}/, (_, base: string) => `${base}/${resources[base] ?? ''}`);
    const hasBody = method === 'POST' || method === 'PATCH';
    return (client ?? new NoClient(api.url)).send(method, filled.replace('{name}', 'result'), {
      ...(hasBody && { headers: { 'content-type': 'application/json' }, body }),
    });
  };
  const outcome = async (response: Promise<Response>): Promise<[number, unknown, unknown]> => {
    const answer = await response;
    const isProblem = answer.headers.get('content-type')?.startsWith('application/problem+json') === true;
    const { code, detail } = isProblem
      ? await json(answer)
      : { code: undefined, detail: await answer.text() };
    return [answer.status, code, detail];
  };
  const keyed = (): Operation[] => operations.filter(({ scope }) => scope !== undefined);
  const name = ({ method, path }: Operation): string => `${method} ${path}`;

  /** A digest of the rows of each table. */
  async function snapshot(): Promise<Record<string, unknown>> {
    const { rows: tables } = await api.database.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> ALL ($1) ORDER BY 1`,
      [UNSTABLE],
    );
    const digests: Record<string, unknown> = {};
    for (const table of tables) {
      const { rows } = await api.database.query<{ digest: string }>(
        `SELECT md5(coalesce(string_agg(t::text, '' ORDER BY t::text), '')) AS digest FROM ${table.name} t`,
      );
      digests[table.name] = rows[0]?.digest;
    }
    return digests;
  }

  it('are declared by every route that is not public', () => {
    const reflector = api.app.get(Reflector);
    const undeclared = handlersOf(api).filter(
      (route) =>
        reflector.getAllAndOverride(PUBLIC, route.targets) !== true &&
        reflector.getAllAndOverride(SCOPE, route.targets) === undefined,
    );
    expect(undeclared.map(({ title }) => title)).toEqual([]);
    expect(handlersOf(api).length).toBeGreaterThan(70);
  });

  it('are known for every operation of the document, each with what it is about', () => {
    const open = operations.filter(({ scope }) => scope === undefined).map(({ path }) => path);
    expect(open).toEqual([...UNKEYED, '/v1/health']);
    const bases = keyed().flatMap(({ path }) => /^(.*)\/\{id\}/.exec(path)?.[1] ?? []);
    expect([...new Set(bases)].sort()).toEqual(Object.keys(own.resources).sort());
    for (const owner of [own, other]) expect(Object.values(owner.resources)).not.toContain('');
  });

  it('let a key do nothing that its scopes do not name, and nothing changes', async () => {
    const before = await snapshot();
    const found = [];
    const expected = [];
    for (const operation of keyed().filter(({ scope }) => scope !== 'any')) {
      for (const [scope, client] of own.keys) {
        if (scope === operation.scope) continue;
        const detail = `The route needs a key with the scope ${String(operation.scope)}.`;
        expected.push([name(operation), scope, 403, 'scope_missing', detail]);
        found.push([name(operation), scope, ...(await outcome(call(operation, client, own.resources)))]);
      }
    }
    expect(found).toEqual(expected);
    expect(found.length).toBeGreaterThan(150);
    expect(await snapshot()).toEqual(before);
  });

  it('let nobody in without a key', async () => {
    for (const operation of keyed()) {
      const [status, code] = await outcome(call(operation, undefined, own.resources));
      expect([name(operation), status, code]).toEqual([name(operation), 401, 'unauthorized']);
    }
  });

  it('show a key nothing of another account, and let it change nothing there', async () => {
    const before = await snapshot();
    for (const operation of keyed().filter(({ path }) => path.includes('{id}'))) {
      if (operation.scope === 'admin') continue;
      const client = other.keys.get(operation.scope as Scope);
      const body = operation.path === '/v1/monitors/{id}' ? '{"name":"mine"}' : '{}';
      const [status, code] = await outcome(call(operation, client, own.resources, body));
      expect([name(operation), status, code]).toEqual([name(operation), 404, 'not_found']);
    }
    expect(await snapshot()).toEqual(before);
  });

  it('list nothing of another account', async () => {
    const hidden = [own.accountId, ...Object.values(own.resources)];
    for (const operation of operations.filter(
      ({ method, path }) => method === 'GET' && !path.includes('{'),
    )) {
      if (operation.scope === 'admin') continue;
      const client = other.keys.get(operation.scope === 'any' ? 'links' : (operation.scope as Scope));
      const [, , text] = await outcome(call(operation, client, own.resources));
      for (const id of hidden) expect(`${name(operation)} ${String(text)}`).not.toContain(id);
    }
  });

  it('let a key do what they name', async () => {
    const order = ['GET', 'POST', 'PATCH', 'DELETE'];
    const allowed = keyed().toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method));
    for (const operation of allowed) {
      const scopes = operation.scope === 'any' ? [...SCOPES] : [operation.scope as Scope];
      for (const scope of scopes) {
        // What belongs to an administrator stays, so that the last requests are still let in.
        const resources = operation.scope === 'admin' ? other.resources : own.resources;
        const [, code] = await outcome(call(operation, own.keys.get(scope), resources));
        // The session of this spec was given its state, and has no picture of a log-in.
        const isLetIn = operation.path.endsWith('/picture') || code !== 'not_found';
        expect([name(operation), code, isLetIn]).toEqual([name(operation), code, true]);
        expect(['scope_missing', 'unauthorized']).not.toContain(code);
      }
    }
  });
});

/** Sends requests without a key. */
class NoClient {
  constructor(private readonly url: string) {}

  send(method: string, path: string, init: RequestInit): Promise<Response> {
    return fetch(new URL(path, this.url), { ...init, method });
  }
}

async function readOperations(url: string): Promise<Operation[]> {
  const { paths } = await json(fetch(new URL('/docs/openapi.json', url)));
  return Object.entries(paths as Record<string, Record<string, { 'x-scope'?: RouteScope }>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        scope: operation['x-scope'],
      })),
  );
}

interface Handler {
  readonly title: string;
  readonly targets: (Type | (() => unknown))[];
}

/** Every handler of a route, whether the document has it or not. */
function handlersOf({ app }: TestApi): Handler[] {
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [
    ...module.controllers.values(),
  ]);
  const types = new Set(controllers.flatMap(({ metatype }) => (metatype ? [metatype as Type] : [])));
  return [...types].flatMap((type) =>
    Object.getOwnPropertyNames(type.prototype).flatMap((method) => {
      const handler = (type.prototype as Record<string, () => unknown>)[method];
      const isRoute = method !== 'constructor' && handler && Reflect.hasMetadata('path', handler);
      return isRoute ? [{ title: `${type.name}.${method}`, targets: [handler, type] }] : [];
    }),
  );
}
