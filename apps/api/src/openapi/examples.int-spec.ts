import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SCOPES } from '@app/auth';
import { AppError } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, type Client, type Json } from '../../../../test/support/client.js';
import {
  bodiesOfPages,
  requestsOfDocument,
  scriptsOfPages,
  type DocumentedRequest,
} from '../../../../test/support/doc-examples.js';

type OwnClient = Client & { readonly accountId: string };

/** The addresses of the service and of the shop in the pages. */
const SERVICE = /http:\/\/127\.0\.0\.1:3000/g;
const SHOP = '127.0.0.1:4100';

/** The exports of docs/clients/openapi-fetch.ts, which the compiler reads only when its types are generated. */
interface DocumentedCalls {
  connect(baseUrl: string, key: string): unknown;
  picture(client: unknown, url: string): Promise<Blob>;
  title(client: unknown, url: string): Promise<string | null>;
  batch(client: unknown, csv: string): Promise<string>;
}

const keyOf = (client: Client) => (client as unknown as { key: string }).key;

/** What routes answer that accept no captures. */
const STATUSES: Readonly<Record<string, number>> = {
  '/v1/links': 200,
  '/v1/admin/accounts': 201,
  '/v1/admin/keys': 201,
  '/v1/admin/keys/{id}/rotate': 200,
  '/v1/monitors': 201,
  '/v1/monitors/preview': 200,
  '/v1/sessions': 201,
};

/** Sends each example of a request in the documentation, unchanged. */
describe('the documentation', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await startApi({ EGRESS_ALLOW: SHOP });
  });

  afterAll(async () => {
    await api.close();
  });

  /** Finishes the next captures of the account in place of a worker; those whose row `fails` selects fail. */
  const work = async (client: OwnClient, captures: number, fails: (row: number | null) => boolean) => {
    for (let i = 0; i < captures; i++) {
      const capture = await api.claim(client);
      const { row } = (await json(client.get(`/v1/captures/${capture.id}`))) as { row: number | null };
      if (fails(row)) await capture.fail(new AppError('target_dns_error'));
      else await capture.succeed();
    }
  };

  /** A batch that has ended, with a row that has failed. */
  const failedBatch = async (client: OwnClient): Promise<unknown> => {
    const { id } = await json(client.post('/v1/bulk/json', { items: [{ url: 'https://example.com/' }] }));
    await work(client, 1, () => true);
    return id;
  };

  /** A route about a key, with one that may be changed over HTTP. */
  const fill = async (client: OwnClient, route: string): Promise<string> => {
    if (!route.includes('{id}')) return route;
    const { id } = await json(client.post('/v1/admin/keys', { account_id: client.accountId, name: 'other' }));
    return route.replace('{id}', String(id));
  };

  const send = async (client: OwnClient, { route, type, body }: DocumentedRequest): Promise<Response> => {
    const headers = { 'content-type': type };
    if (typeof body === 'string') return client.send('POST', route, { headers, body });
    const retried = 'retry_failed_of' in (body as Json) && { retry_failed_of: await failedBatch(client) };
    const owned = 'account_id' in (body as Json) && { account_id: client.accountId };
    return client.post(await fill(client, route), { ...(body as Json), ...retried, ...owned });
  };

  it.each([...requestsOfDocument(), ...bodiesOfPages()].map((each) => [each.place, each] as const))(
    'has a valid request: %s',
    async (_, request) => {
      const client = await api.client({}, SCOPES);
      const answer = send(client, request);
      if (request.route === '/v1/capture') {
        await work(client, 1, () => false);
        expect((await answer).status).toBe(200);
        return;
      }
      const record = await json(answer);
      const status = STATUSES[request.route] ?? 202;
      expect([(await answer).status, record.detail, record.errors ?? []]).toEqual([status, undefined, []]);
    },
  );

  it.each(scriptsOfPages().map(({ page, script }) => [page, script] as const))(
    'has commands that work: %s',
    async (_, script) => {
      const client = await api.client();
      const folder = await mkdtemp(path.join(os.tmpdir(), 'capture-examples-'));
      try {
        await mkdir(path.join(folder, '.data'));
        await writeFile(path.join(folder, '.data/api-key'), keyOf(client));
        const ended = new AbortController();
        const running = runScript(folder, script).finally(() => void ended.abort());
        await Promise.all([running, workUntil(client, ended.signal)]);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  );

  it('has calls with generated types that work', async () => {
    await promisify(execFile)(process.execPath, ['scripts/check/clients.mjs']);
    const client = await api.client();
    const url = 'https://example.com/';
    const working = async <T>(answer: Promise<T>): Promise<T> => {
      await work(client, 1, () => false);
      return answer;
    };
    const calls = (await import(path.resolve('docs/clients/openapi-fetch.ts'))) as DocumentedCalls;
    const service = calls.connect(api.url, keyOf(client));
    const picture = await working(calls.picture(service, url));
    expect([picture.type, await picture.text()]).toEqual(['image/png', 'a picture']);
    expect(await working(calls.title(service, url))).toBe('Example Domain');
    const id = await calls.batch(service, 'url\nhttps://example.com/\n');
    await work(client, 1, () => false);
    const { items } = await json(client.get(`/v1/bulk/${id}/results`));
    expect(items).toMatchObject([
      { status: 'succeeded', format: 'webp', options: { hide_selectors: ['.banner'] } },
    ]);
  });

  /** The second row of a batch fails, so that there is one to retry. */
  const workUntil = async (client: OwnClient, signal: AbortSignal): Promise<void> => {
    const queued = async () =>
      ((await json(client.get('/v1/captures?status=queued'))).items as Json[]).length;
    while (!signal.aborted) {
      const captures = await queued();
      if (captures > 0) await work(client, captures, (row) => row === 2);
    }
  };

  const runScript = (folder: string, script: string) => {
    const prelude = [
      'set -euo pipefail',
      // Without this curl would print a problem and continue.
      'curl() { local f=--fail-with-body; [[ " $*" =~ " "(-f|--fail) ]] && f=--silent; command curl $f -m 60 "$@"; }',
      `latest() { curl -sS "${api.url}/v1/captures?status=succeeded" -H "$AUTH" | node -p 'JSON.parse(fs.readFileSync(0)).items[0].id'; }`,
    ];
    const text = script.replace(SERVICE, api.url).replace(/01a1ff78-[\w-]+/g, '$(latest)');
    return promisify(execFile)('bash', ['-c', [...prelude, text].join('\n')], { cwd: folder });
  };
});
