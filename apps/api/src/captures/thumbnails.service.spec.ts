import { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { noFileFacts } from '@app/capture';
import type { JobSignalsService, StoredFile } from '@app/jobs';
import { newId } from '@app/kernel';
import { MemoryStorage } from '@app/storage';
import { ThumbnailsService } from './thumbnails.service.js';

/** A store whose files are read when the test says so. */
class SlowStorage extends MemoryStorage {
  readonly begun: string[] = [];
  readonly gate = Promise.withResolvers<void>();

  override async read(key: string): Promise<Readable> {
    this.begun.push(key);
    await this.gate.promise;
    return super.read(key);
  }
}

describe(ThumbnailsService, () => {
  let bytes: Buffer;
  beforeAll(async () => {
    bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#fff' } })
      .png()
      .toBuffer();
  });

  async function store(storage: MemoryStorage, format: 'png' | 'webp' = 'png'): Promise<StoredFile> {
    const key = `captures/${newId()}/1.${format}`;
    await storage.put(key, format === 'png' ? bytes : await sharp(bytes).webp().toBuffer());
    const about = { name: 'result', format, contentType: `image/${format}` } as const;
    return { ...noFileFacts(), ...about, key, bytes: bytes.byteLength, sha256: key, pageHeight: null };
  }

  it('makes those of accounts in turns, and refuses an account that waits for too many', async () => {
    const storage = new SlowStorage();
    const thumbnails = new ThumbnailsService(storage, new EventEmitter() as unknown as JobSignalsService);
    const { signal } = new AbortController();
    const files = await Promise.all(Array.from({ length: 201 }, () => store(storage)));
    const [mine, refused] = [files.slice(0, 200), files[200] as StoredFile];
    const made = mine.map((file) => thumbnails.thumbnailOf(file, 'mine', signal));
    await expect(thumbnails.thumbnailOf(refused, 'mine', signal)).rejects.toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('200 thumbnails at once. Ask for fewer at a time'),
      facts: { retryAfterS: 2 },
    });
    // A thumbnail that is being made counts once, however many wait for it.
    const again = thumbnails.thumbnailOf(mine[0] as StoredFile, 'mine', signal);
    const other = await store(storage);
    const theirs = thumbnails.thumbnailOf(other, 'other', signal);
    storage.gate.resolve();
    expect((await sharp(await theirs).metadata()).format).toBe('webp');
    await Promise.all([...made, again]);
    // Two are made at once: before it come those that had begun, and one whose turn it was.
    expect(storage.begun.indexOf(other.key)).toBeLessThan(4);
    expect((await thumbnails.thumbnailOf(refused, 'mine', signal)).byteLength).toBeGreaterThan(0);
  });

  it('makes one at a time of pictures that are decoded as a whole', async () => {
    const storage = new SlowStorage();
    const thumbnails = new ThumbnailsService(storage, new EventEmitter() as unknown as JobSignalsService);
    const { signal } = new AbortController();
    const formats = ['webp', 'webp', 'png'] as const;
    const files = await Promise.all(formats.map((format) => store(storage, format)));
    const made = files.map((file) => thumbnails.thumbnailOf(file, 'mine', signal));
    await setImmediate();
    expect(storage.begun).toEqual([files[0]?.key, files[2]?.key]);
    storage.gate.resolve();
    expect(await Promise.all(made)).toHaveLength(3);
  });

  it('makes no thumbnail that nobody waits for any more', async () => {
    const storage = new SlowStorage();
    const thumbnails = new ThumbnailsService(storage, new EventEmitter() as unknown as JobSignalsService);
    const [left, ...others] = await Promise.all(Array.from({ length: 4 }, () => store(storage)));
    const { signal } = new AbortController();
    const begun = others.slice(0, 2).map((file) => thumbnails.thumbnailOf(file, 'mine', signal));
    const caller = new AbortController();
    const abandoned = thumbnails.thumbnailOf(left as StoredFile, 'mine', caller.signal);
    caller.abort();
    await expect(abandoned).rejects.toBe(caller.signal.reason);
    storage.gate.resolve();
    await Promise.all(begun);
    await thumbnails.thumbnailOf(others[2] as StoredFile, 'mine', signal);
    expect(storage.begun).toEqual(others.map(({ key }) => key));
  });
});
