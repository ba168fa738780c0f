import type { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loadEnv } from '@app/config';
import { newId, StartupError } from '@app/kernel';
import { eventually } from '../../../test/support/eventually.js';
import { S3Server, type S3Mode } from '../../../test/support/s3-server.js';
import { S3Storage, type S3Patience } from './s3.storage.js';
import { s3SettingsOf, type S3Settings } from './s3-settings.js';
import { conformsToStorage } from './storage.conformance.js';

/** Little, so that a store that hangs is given up in a second. */
const IMPATIENT: S3Patience = { connectMs: 200, tryMs: 200, callMs: 5_000, checkMs: 300 };

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
  const open = (patience?: S3Patience): S3Storage => {
    const storage = new S3Storage(settings(), patience);
    storages.push(storage);
    return storage;
  };
  /** Only what never ends is waited for in haste: a busy machine may be slower than that with all else. */
  const openFor = (mode: S3Mode): S3Storage =>
    open(mode === 'hang' || mode === 'stall' ? IMPATIENT : undefined);
  const aKey = (): string => `captures/${newId()}/1.png`;
  const unavailable = { code: 'storage_unavailable' };
  const large = Buffer.alloc(8_000_000, 'capture');
  const readAll = async (stream: Readable): Promise<Buffer> =>
    Buffer.concat((await stream.toArray()) as Buffer[]);

  describe('conforms', () => {
    conformsToStorage(() => open());
  });

  it('names an object by its key alone', async () => {
    const key = aKey();
    await open().put(key, Buffer.from('x'));
    expect(server.objects.get(key)?.toString()).toBe('x');
  });

  it.each(['error', 'slow-down', 'cut'] as const)('gets over two faults of a store: %s', async (mode) => {
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
  ])('tries at most three times, and gives up: %s', async (mode, tries) => {
    const storage = open();
    const key = aKey();
    await storage.put(key, Buffer.from('kept'));
    server.requests.length = 0;
    await server.set(mode);
    await expect(openFor(mode).put(key, large)).rejects.toMatchObject(unavailable);
    expect(server.count('PUT')).toBe(tries);
    // Whole or not at all: what was there stays as it was.
    expect(server.objects.get(key)?.toString()).toBe('kept');
    await server.set('serve');
    await storage.put(key, large);
    expect(server.objects.get(key)?.equals(large)).toBe(true);
  });

  it.each<S3Mode>(['error', 'slow-down', 'hang', 'refuse', 'deny'])(
    'says that the store is unavailable, not that a file is missing: %s',
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

  it('says so of a bucket that is not there', async () => {
    const storage = new S3Storage({ ...settings(), bucket: 'elsewhere' });
    storages.push(storage);
    await expect(storage.put(aKey(), large)).rejects.toMatchObject(unavailable);
    await expect(storage.read(aKey())).rejects.toMatchObject(unavailable);
    await expect(storage.check()).rejects.toMatchObject(unavailable);
  });

  it.each(['cut', 'stall'] as const)('fails a read that is not whole: %s', async (mode) => {
    const key = aKey();
    await open().put(key, large);
    await server.set(mode);
    await expect(readAll(await openFor(mode).read(key))).rejects.toThrow();
  });

  it('waits for a reader that takes its time', async () => {
    const storage = open(IMPATIENT);
    const key = aKey();
    await storage.put(key, large);
    const stream = await storage.read(key);
    const [first] = (await once(stream)) as [Buffer];
    // As much again as a store is given to send something, and nobody asks for it meanwhile.
    const asked = performance.now();
    await eventually('time passes', () => performance.now() - asked > 3 * IMPATIENT.tryMs);
    const rest = await readAll(stream);
    expect(first.length + rest.length).toBe(large.length);
  });

  it('does not hold a file in memory that is read', async () => {
    const storage = open();
    const key = aKey();
    await storage.put(key, large);
    const stream = await storage.read(key);
    await once(stream);
    expect(stream.readableLength).toBeLessThan(1_000_000);
    stream.destroy();
  });

  it('lets go of the connection when a reader leaves', async () => {
    const storage = open();
    const key = aKey();
    await storage.put(key, large);
    const before = await server.connections();
    const streams = await Promise.all([storage.read(key), storage.read(key), storage.read(key)]);
    expect(await server.connections()).toBeGreaterThan(before);
    for (const stream of streams) stream.destroy();
    await eventually('the connections are closed', async () => (await server.connections()) === 0);
  });

  it('checks by a write, and not at every question', async () => {
    const storage = open();
    await Promise.all([storage.check(), storage.check()]);
    await storage.check();
    expect(server.requests).toEqual([expect.stringMatching(/^PUT checks\//)]);
  });

  describe('settings', () => {
    it('are none without a bucket', () => {
      expect(s3SettingsOf(loadEnv({ S3_ACCESS_KEY_ID: 'a' }))).toBeUndefined();
    });

    it('leave the key to the SDK when none is set', () => {
      const { credentials } = s3SettingsOf(loadEnv({ S3_BUCKET: 'b' })) ?? {};
      expect(credentials).toBeUndefined();
    });

    it.each(['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'])('refuse half of a key: %s alone', (name) => {
      const read = (): unknown => s3SettingsOf(loadEnv({ S3_BUCKET: 'b', [name]: 'hidden' }));
      expect(read).toThrow(StartupError);
      expect(read).toThrow(/S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY/);
      expect(read).not.toThrow(/hidden/);
    });
  });
});

/** The next piece of a stream, which is left paused. */
function once(stream: Readable): Promise<[unknown]> {
  return new Promise((resolve, reject) => {
    stream.once('error', reject);
    stream.once('readable', () => {
      resolve([stream.read(1_000)]);
    });
  });
}
