import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { newId } from '@app/kernel';
import { mountTinyDisk } from '../../../test/support/tiny-disk.js';
import { DiskStorage } from './disk.storage.js';
import { FileNotFoundError } from './storage.js';

const MEGABYTE = 1_048_576;

const disk = await mountTinyDisk(2);
const whereMountable = disk ? describe : describe.skip;
const title = disk ? 'a full disk' : 'a full disk (skipped: neither mount nor unshare is allowed here)';

whereMountable(title, () => {
  const folder = disk?.folder ?? '';
  const storage = new DiskStorage(folder);

  afterAll(async () => {
    await disk?.remove();
  });

  const aKey = (): string => `captures/${newId()}/1.png`;
  const unavailable = { code: 'storage_unavailable' };
  const incoming = (): Promise<string[]> => readdir(join(folder, 'incoming'));
  const read = async (key: string): Promise<Buffer> =>
    Buffer.concat((await (await storage.read(key)).toArray()) as Buffer[]);

  it('stores nothing of a file that does not fit, and then stores one that does', async () => {
    const small = aKey();
    const tooLarge = aKey();
    const picture = Buffer.alloc(MEGABYTE / 2, 'a');
    await storage.put(small, picture);
    await expect(storage.put(tooLarge, Buffer.alloc(2 * MEGABYTE, 'b'))).rejects.toMatchObject(unavailable);
    expect(await incoming()).toEqual([]);
    await expect(storage.read(tooLarge)).rejects.toThrow(FileNotFoundError);
    expect((await read(small)).equals(picture)).toBe(true);
    await storage.put(tooLarge, picture);
    expect((await read(tooLarge)).equals(picture)).toBe(true);
    await storage.delete(small);
    await storage.delete(tooLarge);
  });

  it('keeps the old file when its replacement does not fit', async () => {
    const key = aKey();
    const old = Buffer.alloc(MEGABYTE, 'old');
    await storage.put(key, old);
    await expect(storage.put(key, Buffer.alloc(1.5 * MEGABYTE, 'new'))).rejects.toMatchObject(unavailable);
    expect((await read(key)).equals(old)).toBe(true);
    await storage.delete(key);
  });

  it('stores nothing while it is full, serves its files, and recovers by itself', async () => {
    const kept = aKey();
    await storage.put(kept, Buffer.from('kept'));
    const ballast = join(folder, 'ballast');
    await expect(writeFile(ballast, Buffer.alloc(3 * MEGABYTE))).rejects.toMatchObject({ code: 'ENOSPC' });

    await expect(storage.check()).rejects.toMatchObject(unavailable);
    await expect(storage.put(aKey(), Buffer.from('x'))).rejects.toMatchObject(unavailable);
    expect(await incoming()).toEqual([]);
    expect(String(await read(kept))).toBe('kept');

    await rm(ballast);
    await storage.check();
    await storage.put(kept, Buffer.alloc(MEGABYTE, 'new'));
    expect(await read(kept)).toHaveLength(MEGABYTE);
    expect(await incoming()).toEqual([]);
  });
});
