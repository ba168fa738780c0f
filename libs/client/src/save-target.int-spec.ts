import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../../test/support/api.js';
import { eventually } from '../../../test/support/eventually.js';
import { ScriptedProxy } from '../../../test/support/scripted-proxy.js';
import { mountTinyDisk } from '../../../test/support/tiny-disk.js';
import { CaptureClient } from './index.js';

const PAGE = { url: 'https://example.com/page' };

/** Null where this machine lets nobody mount one. */
const disk = await mountTinyDisk(1);

describe('a file that is saved', () => {
  let api: TestApi;
  let proxy: ScriptedProxy;
  let folder: string;

  beforeAll(async () => {
    api = await startApi();
    proxy = await ScriptedProxy.before(api.url);
  });

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'client-'));
    proxy.script();
  });

  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  afterAll(async () => {
    await proxy.close();
    await api.close();
    await disk?.remove();
  });

  const newClient = async () => {
    const { accountId, apiKey } = await api.client();
    return { accountId, client: new CaptureClient({ baseUrl: proxy.url, key: apiKey }) };
  };

  /** A job that has made a file. */
  const made = async (bytes: Buffer) => {
    const { accountId, client } = await newClient();
    const { id } = await client.jobs.create(PAGE);
    await (await api.claim({ accountId })).succeed(bytes);
    return { id, client };
  };

  /** The size of what has arrived of a file. */
  const sizeOfParts = async (): Promise<number> => {
    const parts = (await readdir(folder)).filter((name) => name.endsWith('.part'));
    const sizes = await Promise.all(parts.map((name) => stat(path.join(folder, name))));
    return sizes.reduce((sum, { size }) => sum + size, 0);
  };

  it('has its name when it is complete, and replaces another', async () => {
    const { client, accountId } = await newClient();
    const file = path.join(folder, 'page.png');
    await writeFile(file, 'an older and longer picture');
    const captured = client.captureToFile(PAGE, file);
    const { id, succeed } = await api.claim({ accountId });
    await succeed(Buffer.from('a picture'));
    expect(await captured).toMatchObject({ path: file, size: 9, captureId: id, billable: true });
    expect([await readFile(file, 'utf8'), await readdir(folder)]).toEqual(['a picture', ['page.png']]);
  });

  it('is requested again when the connection is cut, and is captured once', async () => {
    const { client, accountId } = await newClient();
    proxy.script('cut', 'lose');
    const file = path.join(folder, 'page.png');
    const captured = client.captureToFile(PAGE, file);
    await (await api.claim({ accountId })).succeed(Buffer.alloc(300_000, 'x'));
    expect(await captured).toMatchObject({ size: 300_000 });
    expect((await readFile(file)).length).toBe(300_000);
    expect((await client.usage()).used).toBe(1);
  });

  it('does not exist when the connection is cut every time', async () => {
    const { id, client } = await made(Buffer.alloc(300_000, 'x'));
    proxy.script('cut', 'cut', 'cut');
    const file = path.join(folder, 'page.png');
    await expect(client.jobs.resultToPath(id, file)).rejects.toMatchObject({ code: 'connection_failed' });
    expect([proxy.requests.length, await readdir(folder)]).toEqual([3, []]);
  });

  (disk ? it : it.skip)(
    'does not exist when the disk is full, which is one clear line and no retry',
    async () => {
      const full = disk?.folder ?? '';
      const { id, client } = await made(Buffer.alloc(3_000_000, 'x'));
      proxy.script();
      await expect(client.captures.fileToPath(id, path.join(full, 'page.png'))).rejects.toMatchObject({
        code: 'save_failed',
        retryable: false,
        message: expect.stringMatching(/^\S+page\.png could not be written: .*(ENOSPC|EDQUOT)[^\n]*$/),
      });
      expect([proxy.requests.length, await readdir(full)]).toEqual([1, []]);
    },
  );

  it('needs a folder that exists and replaces only files, which is checked before anything is captured', async () => {
    const { client } = await newClient();
    for (const file of [path.join(folder, 'none', 'page.png'), folder, `${folder}/new/`, '/dev/null', '']) {
      await expect(client.captureToFile(PAGE, file)).rejects.toMatchObject({
        code: 'save_failed',
        message: expect.stringContaining(file),
      });
    }
    expect(proxy.requests).toHaveLength(0);
  });

  it('does not exist when the caller aborts midway', async () => {
    const { id, client } = await made(Buffer.alloc(300_000, 'x'));
    proxy.script('stall');
    const abort = new AbortController();
    const file = path.join(folder, 'page.png');
    const saving = client.captures.fileToPath(id, file, { signal: abort.signal, name: 'result' });
    await eventually('half of it is there', async () => (await sizeOfParts()) === 150_000);
    abort.abort(new Error('enough'));
    await expect(saving).rejects.toThrow('enough');
    expect(await readdir(folder)).toEqual([]);
  });

  it('is requested again when nothing more arrives', async () => {
    const { id, client } = await made(Buffer.alloc(300_000, 'x'));
    proxy.script('stall');
    const file = path.join(folder, 'page.png');
    expect(await client.captures.fileToPath(id, file, { timeoutMs: 500 })).toHaveProperty('size', 300_000);
    expect([proxy.requests.length, await readdir(folder)]).toEqual([2, ['page.png']]);
    proxy.script('stall');
    await expect(client.captures.file(id, undefined, { timeoutMs: 500, retries: 0 })).rejects.toMatchObject({
      code: 'timeout',
    });
  });

  it('is no record: several outputs are saved as an archive', async () => {
    const { client, accountId } = await newClient();
    const outputs = [{ name: 'page' }, { name: 'words', format: 'text' as const }];
    const file = path.join(folder, 'all.zip');
    // @ts-expect-error -- the answer would be the record
    await expect(client.captureToFile({ ...PAGE, outputs }, file)).rejects.toThrow("response: 'zip'");
    const captured = client.captureToFile({ ...PAGE, outputs, response: 'zip' }, file);
    await (
      await api.claim({ accountId })
    ).succeed([
      { name: 'page', format: 'png', bytes: Buffer.from('picture') },
      { name: 'words', format: 'text', bytes: Buffer.from('words') },
    ]);
    expect(await captured).toMatchObject({ contentType: 'application/zip' });
    expect((await readFile(file)).subarray(0, 2).toString()).toBe('PK');
  });
});
