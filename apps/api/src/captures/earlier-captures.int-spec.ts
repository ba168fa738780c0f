import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate, revertTo } from '@app/database';
import { newId } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, statusAndCode, type Client, type Json } from '../../../../test/support/client.js';

const BYTES = Buffer.from('a picture');

/** The columns in which a version that knew one file per capture stored it. */
const SUCCEEDED = {
  status: 'succeeded',
  result_key: '',
  content_type: 'image/png',
  bytes: BYTES.length,
  sha256: 'ab',
  width: 1280,
  height: 800,
  page_height: 2_000,
  truncated: false,
  complete: true,
  http_status: 200,
  verdict: '{"kind":"page","evidence":[]}',
  queue_ms: 3,
  total_ms: 187,
};

describe('a capture of the version that knew one file per capture', () => {
  let api: TestApi;
  let client: Client & { readonly accountId: string };
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    api = await startApi();
    client = await api.client();
    await revertTo(api.database.url, 'KeepSeveralFiles');
    const later = new Date(Date.now() + 86_400_000);
    const url = {
      url: 'https://example.com/',
      host: 'example.com',
      options: '{"url":"https://example.com/"}',
    };
    const error = { code: 'target_dns_error', title: 'Not found', detail: 'No host.', retryable: false };
    await add('succeeded', { ...SUCCEEDED, ...url, expires_at: later });
    await add('judged by none', { ...SUCCEEDED, ...url, verdict: null, expires_at: later });
    await add('expired', { ...SUCCEEDED, ...url, result_key: null, expires_at: new Date(0) });
    await add('failed', { ...url, status: 'failed', error: JSON.stringify(error), error_code: error.code });
    await add('queued', { ...url, status: 'queued', finished_at: null, attempt: 0 });
    await migrate(api.database.url);
  });

  afterAll(() => api.close());

  /** Adds a capture of two hours ago and its file. */
  async function add(name: string, columns: Json): Promise<void> {
    const id = newId();
    ids[name] = id;
    const key = `captures/${id}/1.png`;
    const at = new Date(Date.now() - 2 * 3_600_000);
    const row: Json = {
      ...{
        id,
        account_id: client.accountId,
        source: 'job',
        format: 'png',
        options: '{}',
        timeout_ms: 60_000,
      },
      ...{ usage_period: 'ever', attempt: 1, created_at: at, finished_at: at },
      ...columns,
      ...(columns.result_key === '' && { result_key: key }),
    };
    const names = Object.keys(row);
    await api.database.query(
      `INSERT INTO jobs (${names.join(', ')}) VALUES (${names.map((_, i) => `$${i + 1}`).join(', ')})`,
      Object.values(row),
    );
    if (row.result_key === key) await api.storage.put(key, BYTES);
  }

  const pathOf = (name: string) => `/v1/captures/${ids[name]}`;
  const idsOf = async (query: string) =>
    ((await json(client.get(`/v1/captures${query}`))).items as Json[]).map(({ id }) => id).sort();
  const idsNamed = (...names: string[]) => names.map((name) => ids[name]).sort();

  it('has a record with its file, and nothing of what is new', async () => {
    const record = await json(client.get(pathOf('succeeded')));
    expect(record).toMatchObject({
      ...{ format: 'png', width: 1280, height: 800, page_height: 2_000, bytes: 9, sha256: 'ab' },
      ...{ page: null, change: null, verdict: { kind: 'page' }, result_url: `${pathOf('succeeded')}/result` },
      files: [
        {
          ...{ name: 'result', format: 'png', bytes: 9, sha256: 'ab', width: 1280, height: 800, pages: null },
          ...{ page_height: 2_000, truncated: false, content: null },
          url: `${pathOf('succeeded')}/files/result`,
        },
      ],
    });
    for (const name of ['failed', 'queued']) {
      expect(await json(client.get(pathOf(name)))).toMatchObject({ files: [], result_url: null });
    }
  });

  it('is served by both routes, until it expires', async () => {
    for (const route of ['result', 'files/result']) {
      const answer = await client.get(`${pathOf('succeeded')}/${route}`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(BYTES);
      expect(await statusAndCode(client.get(`${pathOf('expired')}/${route}`))).toEqual([
        410,
        'result_expired',
      ]);
    }
    expect(await statusAndCode(client.get(`${pathOf('succeeded')}/files/other`))).toEqual([404, 'not_found']);
    expect(await json(client.get(pathOf('expired')))).toMatchObject({ files: [{ url: null }] });
  });

  it('is found by the filters', async () => {
    expect(await idsOf('?host=example.com')).toEqual(Object.values(ids).sort());
    expect(await idsOf('?verdict=page')).toEqual(idsNamed('succeeded', 'expired'));
    expect(await idsOf('?has_error=true')).toEqual(idsNamed('failed'));
    expect(await idsOf('?status=succeeded&has_error=false')).toEqual(
      idsNamed('succeeded', 'judged by none', 'expired'),
    );
    expect(await idsOf('?changed=false')).toEqual([]);
  });

  it('counts in the statistics with the size of its file', async () => {
    const { total, bytes, format } = await json(client.get('/v1/captures/stats'));
    expect({ total, bytes, format }).toEqual({ total: 5, bytes: 3 * BYTES.length, format: { png: 5 } });
  });

  it('can be deleted with its file, and still counts', async () => {
    await client.send('DELETE', pathOf('succeeded'));
    expect(await json(client.get(pathOf('succeeded')))).toMatchObject({ files: [], bytes: 9, verdict: null });
    await expect(api.storage.read(`captures/${ids.succeeded}/1.png`)).rejects.toThrow();
    const { total, bytes } = await json(client.get('/v1/captures/stats'));
    expect({ total, bytes }).toEqual({ total: 5, bytes: 3 * BYTES.length });
  });
});
