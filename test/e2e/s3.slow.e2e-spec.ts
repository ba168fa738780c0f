import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AppProcess } from '../support/app-process.js';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json, type Json } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startFixtureSite, type FixtureSite } from '../support/fixture-site.js';
import { S3Server } from '../support/s3-server.js';

describe('with the files in S3', () => {
  let site: FixtureSite;
  let s3: S3Server;
  let apps: Apps;
  let client: Client;
  let second: AppProcess | undefined;

  beforeAll(async () => {
    site = await startFixtureSite();
    s3 = await S3Server.start();
    apps = await startApps({ ...s3.settings, EGRESS_ALLOW: `127.0.0.1:${site.port}`, WORKER_SLOTS: '1' });
    client = new Client(apps);
  }, 120_000);

  afterAll(async () => {
    await second?.stop();
    await apps.stop();
    await s3.close();
    await site.close();
  });

  /** The keys of captures, without that of the health probe. */
  const keys = (): string[] => [...s3.objects.keys()].filter((key) => key.startsWith('captures/'));
  const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

  it('a capture is stored there and served from there: whole, in part, and as 304', async () => {
    const response = await client.capture({ url: `${site.url}/bands.html` });
    expect(response.status).toBe(200);
    const bytes = Buffer.from(await response.arrayBuffer());
    const id = response.headers.get('x-capture-id') ?? '';
    expect(s3.objects.get(`captures/${id}/1.png`)?.equals(bytes)).toBe(true);

    const path = `/v1/captures/${id}/result`;
    const again = await client.get(path);
    expect(again.headers.get('etag')).toBe(`"${sha256(bytes)}"`);
    expect(Buffer.from(await again.arrayBuffer()).equals(bytes)).toBe(true);
    const part = await client.get(path, { range: 'bytes=10-19' });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes 10-19/${bytes.length}`);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10, 20))).toBe(true);
    const asked = s3.count('GET');
    expect((await client.get(path, { 'if-none-match': `"${sha256(bytes)}"` })).status).toBe(304);
    expect(s3.count('GET')).toBe(asked);
    expect(await json(client.get('/v1/health'))).toMatchObject({ checks: { storage: { status: 'ok' } } });
  }, 60_000);

  it('a download that the store breaks off is never served as a whole file', async () => {
    const response = await client.capture({ url: `${site.url}/bands.html` });
    await response.arrayBuffer();
    const path = `/v1/captures/${response.headers.get('x-capture-id') ?? ''}/result`;
    for (const mode of ['cut', 'truncate'] as const) {
      await s3.set(mode, 1);
      await expect(client.get(path).then((half) => half.arrayBuffer())).rejects.toThrow();
    }
    expect((await client.get(path)).status).toBe(200);
  }, 60_000);

  it('a capture fails uncharged while the store is down, and the next one succeeds', async () => {
    const before = await json(client.get('/v1/usage'));
    const stored = keys();
    await s3.set('error');
    const response = await client.capture({ url: `${site.url}/bands.html` });
    expect(response.status).toBe(503);
    expect(await json(response)).toMatchObject({ code: 'storage_unavailable', retryable: true });
    expect(await json(client.get('/v1/usage'))).toMatchObject({ used: before.used });
    expect(keys()).toEqual(stored);
    await s3.set('serve');
    const next = await client.capture({ url: `${site.url}/bands.html` });
    expect(next.status).toBe(200);
    await next.arrayBuffer();
  }, 120_000);

  it('an expired file is deleted there; its record stays', async () => {
    const record = await client.record({ url: `${site.url}/bands.html`, expires_in_s: 60 });
    const key = `captures/${String(record.id)}/1.png`;
    expect(keys()).toContain(key);
    const kept = keys().filter((each) => each !== key);
    await apps.database.query(`UPDATE jobs SET expires_at = now() - interval '1 s' WHERE id = $1`, [
      record.id,
    ]);
    // A worker starts with a round of expiry; the next round of the first worker is up to a minute away.
    const another = await apps.launch('worker');
    const path = `/v1/captures/${String(record.id)}`;
    try {
      await another.ready();
      await eventually('the object is gone', () => !keys().includes(key));
      // The row is updated after the store has deleted the object.
      await eventually(
        'the record has no file',
        async () => (await json(client.get(path))).result_url === null,
      );
    } finally {
      // It would run jobs of later tests.
      await another.stop();
    }
    expect(keys()).toEqual(kept);
    expect(await json(client.get(`${path}/result`))).toMatchObject({ status: 410, code: 'result_expired' });
    expect(await json(client.get(path))).toMatchObject({ status: 'succeeded' });
  }, 120_000);

  const filesOf = (id: unknown): string[] =>
    keys().filter((key) => key.startsWith(`captures/${String(id)}/`));
  const submit = async (): Promise<Json> => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ url: `${site.url}/bands.html` });
    return json(client.send('POST', '/v1/jobs', { headers, body }));
  };
  /** Acts while the first upload of the file hangs. */
  const whileStored = async (id: unknown, act: () => Promise<unknown>): Promise<void> => {
    await eventually('the upload has started', () =>
      s3.requests.includes(`PUT captures/${String(id)}/1.png`),
    );
    await act();
  };

  it('a file that is stored after its job was canceled is deleted', async () => {
    await s3.set('hang-put', 1);
    const { id } = await submit();
    await whileStored(id, () => client.send('DELETE', `/v1/jobs/${String(id)}`));
    await eventually('the file is deleted', () =>
      s3.requests.includes(`DELETE captures/${String(id)}/1.png`),
    );
    expect(s3.requests.filter((each) => each === `PUT captures/${String(id)}/1.png`)).toHaveLength(2);
    expect(filesOf(id)).toEqual([]);
    expect(await json(client.get(`/v1/jobs/${String(id)}`))).toMatchObject({ status: 'canceled' });
  }, 60_000);

  it('a file whose worker died before recording it is deleted by the attempt that succeeds', async () => {
    await using session = await apps.database.session();
    await s3.set('hang-put', 1);
    const { id } = await submit();
    await whileStored(id, async () => {
      // Keeps the worker from finishing the job.
      await session.query('BEGIN');
      await session.query('SELECT FROM jobs WHERE id = $1 FOR UPDATE', [id]);
    });
    await eventually('the file is stored', () => filesOf(id).length > 0);
    apps.worker.kill('SIGKILL');
    await apps.worker.ended();
    await session.query('ROLLBACK');
    await apps.endLeases();
    second = await apps.launch('worker');
    await eventually(
      'the job is done',
      async () => (await json(client.get(`/v1/jobs/${String(id)}`))).status === 'succeeded',
      60_000,
    );
    await eventually('the first file is gone', () => filesOf(id).length === 1);
    expect(filesOf(id)).toEqual([`captures/${String(id)}/2.png`]);
    expect((await client.get(`/v1/jobs/${String(id)}/result`)).status).toBe(200);
  }, 120_000);
});
