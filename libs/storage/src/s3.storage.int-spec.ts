import type { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loadEnv } from '@app/config';
import { newId, StartupError } from '@app/kernel';
import { eventually } from '../../../test/support/eventually.js';
import { S3Server, type S3Mode } from '../../../test/support/s3-server.js';
import { S3Storage, type S3Timeouts } from './s3.storage.js';
import { s3SettingsOf, type S3Settings } from './s3-settings.js';
import { FileNotFoundError } from './storage.js';
import { conformsToStorage } from './storage.conformance.js';

/** Short, so that a store that hangs times out within a second. */
const SHORT: S3Timeouts = { connectMs: 200, attemptMs: 200, callMs: 5_000, checkMs: 300 };

describe(S3Storage.name, () => {
  let server: S3Server;
  let storages: S3Storage[] = [];

  beforeAll(async () => {
    server = await S3Server.start();
  });

  afterAll(async () => {
    await server.close();
  });

  beforeEach(async () => {
    await server.set('serve');
    server.requests.length = 0;
  });

  afterEach(() => {
    for (const storage of storages) storage.onApplicationShutdown();
    storages = [];
  });

  const settings = (): S3Settings => {
    const read = s3SettingsOf(loadEnv(server.settings));
    if (!read) throw new Error('not in S3');
    return read;
  };
  const open = (timeouts?: S3Timeouts): S3Storage => {
    const storage = new S3Storage(settings(), timeouts);
    storages.push(storage);
    return storage;
  };
  /** Short timeouts only where the store never responds: a busy machine may exceed them otherwise. */
  const openFor = (mode: S3Mode): S3Storage => open(mode === 'hang' || mode === 'stall' ? SHORT : undefined);
  const aKey = (): string => `captures/${newId()}/1.png`;
  const unavailable = { code: 'storage_unavailable' };
  const large = Buffer.alloc(8_000_000, 'capture');
  const readAll = async (stream: Readable): Promise<Buffer> =>
    Buffer.concat((await stream.toArray()) as Buffer[]);

  describe('conforms', () => {
    conformsToStorage(() => open());
  });

  it('uses the key as the name of the object', async () => {
    const key = aKey();
    await open().put(key, Buffer.from('x'));
    expect(server.objects.get(key)?.toString()).toBe('x');
  });

  it.each(['error', 'slow-down', 'cut'] as const)('retries after two faults of a store: %s', async (mode) => {
    const storage = open();
    const key = aKey();
    await server.set(mode, 2);
    await storage.put(key, large);
    expect(server.count('PUT')).toBe(3);
    expect(server.objects.get(key)?.equals(large)).toBe(true);
  });

  it.each<[S3Mode, number]>([
    ['error', 3],
    ['slow-down', 3],
    ['hang', 3],
    ['cut', 3],
    ['refuse', 0],
    ['deny', 1],
  ])('makes at most three attempts: %s', async (mode, tries) => {
    const storage = open();
    const key = aKey();
    await storage.put(key, Buffer.from('kept'));
    server.requests.length = 0;
    await server.set(mode);
    await expect(openFor(mode).put(key, large)).rejects.toMatchObject(unavailable);
    expect(server.count('PUT')).toBe(tries);
    // The earlier file is unchanged.
    expect(server.objects.get(key)?.toString()).toBe('kept');
    await server.set('serve');
    await storage.put(key, large);
    expect(server.objects.get(key)?.equals(large)).toBe(true);
  });

  it.each<S3Mode>(['error', 'slow-down', 'hang', 'refuse', 'deny'])(
    'rejects with storage_unavailable, not with a missing file: %s',
    async (mode) => {
      const key = aKey();
      await open().put(key, Buffer.from('x'));
      await server.set(mode);
      const storage = openFor(mode);
      await expect(storage.read(key)).rejects.toMatchObject(unavailable);
      await expect(storage.delete(key)).rejects.toMatchObject(unavailable);
      await expect(storage.check()).rejects.toMatchObject(unavailable);
      await server.set('serve');
      await expect(open().check()).resolves.toBeUndefined();
    },
  );

  it('takes an object that the store does not find for deleted, and for no longer readable', async () => {
    const storage = open();
    await server.set('no-such-key');
    await expect(storage.delete(aKey())).resolves.toBeUndefined();
    await expect(storage.read(aKey())).rejects.toBeInstanceOf(FileNotFoundError);
  });

  it('rejects with storage_unavailable for a missing bucket', async () => {
    const storage = new S3Storage({ ...settings(), bucket: 'elsewhere' });
    storages.push(storage);
    await expect(storage.put(aKey(), large)).rejects.toMatchObject(unavailable);
    await expect(storage.read(aKey())).rejects.toMatchObject(unavailable);
    await expect(storage.check()).rejects.toMatchObject(unavailable);
  });

  it.each(['cut', 'stall'] as const)('fails an incomplete read: %s', async (mode) => {
    const key = aKey();
    await open().put(key, large);
    await server.set(mode);
    await expect(readAll(await openFor(mode).read(key))).rejects.toThrow();
  });

  it('waits for a slow reader', async () => {
    const key = aKey();
    // Writing it may take longer on a busy machine.
    await open().put(key, large);
    const stream = await open(SHORT).read(key);
    const [first] = (await once(stream)) as [Buffer];
    // The reader takes nothing for longer than the store may be silent.
    const began = performance.now();
    await eventually('time passes', () => performance.now() - began > 3 * SHORT.attemptMs);
    const rest = await readAll(stream);
    expect(first.length + rest.length).toBe(large.length);
  });

  it('does not buffer a file that is being read', async () => {
    const storage = open();
    const key = aKey();
    await storage.put(key, large);
    const stream = await storage.read(key);
    await once(stream);
    expect(stream.readableLength).toBeLessThan(1_000_000);
    stream.destroy();
  });

  it('closes the connection when a reader leaves', async () => {
    const storage = open();
    const key = aKey();
    await storage.put(key, large);
    const before = await server.connections();
    const streams = await Promise.all([storage.read(key), storage.read(key), storage.read(key)]);
    expect(await server.connections()).toBeGreaterThan(before);
    for (const stream of streams) stream.destroy();
    await eventually('the connections are closed', async () => (await server.connections()) === 0);
  });

  it('checks by a write, and not at every call', async () => {
    const storage = open();
    await Promise.all([storage.check(), storage.check()]);
    await storage.check();
    expect(server.requests).toEqual([expect.stringMatching(/^PUT checks\//)]);
  });

  it('checks again after a file could not be stored, however recent the last check is', async () => {
    const storage = openFor('error');
    await storage.check();
    await server.set('error');
    await expect(storage.check()).resolves.toBeUndefined();
    await expect(storage.put(aKey(), Buffer.from('x'))).rejects.toMatchObject(unavailable);
    await expect(storage.check()).rejects.toMatchObject(unavailable);
    await server.set('serve');
    await expect(storage.check()).resolves.toBeUndefined();
  });

  describe('settings', () => {
    it('are undefined without a bucket', () => {
      expect(s3SettingsOf(loadEnv({ S3_ACCESS_KEY_ID: 'a' }))).toBeUndefined();
    });

    it('leave the credentials to the SDK when none are set', () => {
      const { credentials } = s3SettingsOf(loadEnv({ S3_BUCKET: 'b' })) ?? {};
      expect(credentials).toBeUndefined();
    });

    it.each(['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'])(
      'refuse half of the credentials: %s alone',
      (name) => {
        const read = (): unknown => s3SettingsOf(loadEnv({ S3_BUCKET: 'b', [name]: 'hidden' }));
        expect(read).toThrow(StartupError);
        expect(read).toThrow(/S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY/);
        expect(read).not.toThrow(/hidden/);
      },
    );
  });
});

/** Reads the next chunk of a stream, which stays paused. */
function once(stream: Readable): Promise<[unknown]> {
  return new Promise((resolve, reject) => {
    stream.once('error', reject);
    stream.once('readable', () => {
      resolve([stream.read(1_000)]);
    });
  });
}
