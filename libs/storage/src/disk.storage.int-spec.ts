import { mkdir, mkdtemp, open, readdir, rm, utimes, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@app/kernel';
import { DiskStorage } from './disk.storage.js';
import { conformsToStorage } from './storage.conformance.js';

describe(DiskStorage.name, () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'storage-'));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  conformsToStorage(() => new DiskStorage(folder));

  it('keeps a file across a restart', async () => {
    const key = `captures/${newId()}/1.pdf`;
    await new DiskStorage(folder).put(key, Buffer.from('kept'));
    const [chunk] = await (await new DiskStorage(folder).read(key)).toArray();
    expect(String(chunk)).toBe('kept');
  });

  it('leaves no temporary files and no empty folders behind', async () => {
    const storage = new DiskStorage(folder);
    const key = `captures/${newId()}/1.png`;
    await storage.put(key, Buffer.from('x'));
    await storage.check();
    expect(await readdir(join(folder, 'incoming'))).toEqual([]);
    await storage.delete(key);
    expect(await readdir(join(folder, 'captures'))).toEqual([]);
  });

  it('rejects with storage_unavailable when the folder cannot be written', async () => {
    const occupied = join(folder, 'a-file');
    await writeFile(occupied, '');
    const storage = new DiskStorage(occupied);
    const fault = { code: 'storage_unavailable' };
    await expect(storage.put(`captures/${newId()}/1.png`, Buffer.from('x'))).rejects.toMatchObject(fault);
    await expect(storage.read(`captures/${newId()}/1.png`)).rejects.toMatchObject(fault);
    await expect(storage.check()).rejects.toMatchObject(fault);
    await expect(storage.onModuleInit()).resolves.toBeUndefined();
  });

  it('leaves no part of a file behind when it cannot be moved to its place', async () => {
    const storage = new DiskStorage(folder);
    const id = newId();
    // A folder with the name of the file makes the rename fail after the bytes were written.
    await mkdir(join(folder, 'captures', id, '1.png'), { recursive: true });
    await expect(storage.put(`captures/${id}/1.png`, Buffer.from('x'))).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
    expect(await readdir(join(folder, 'incoming'))).toEqual([]);
  });

  it('stores nothing of a file that the file system can no longer write when it is synced', async () => {
    const file = await open(join(folder, 'any'), 'w');
    const handles = Object.getPrototypeOf(file) as FileHandle;
    await file.close();
    const sync = handles.sync;
    // What a network file system or a failing disk reports: the writes were only taken into memory.
    handles.sync = async function (this: FileHandle) {
      if ((await this.stat()).isFile()) throw Object.assign(new Error('EIO'), { code: 'EIO' });
    };
    try {
      const id = newId();
      const storage = new DiskStorage(folder);
      const fault = { code: 'storage_unavailable' };
      await expect(storage.put(`captures/${id}/1.png`, Buffer.from('x'))).rejects.toMatchObject(fault);
      expect(await readdir(join(folder, 'captures', id))).toEqual([]);
      await expect(storage.check()).rejects.toMatchObject(fault);
      expect(await readdir(join(folder, 'incoming'))).toEqual([]);
    } finally {
      handles.sync = sync;
    }
  });

  it('removes incomplete files at its start, and none that is being written', async () => {
    await mkdir(join(folder, 'incoming'));
    await writeFile(join(folder, 'incoming', 'left'), 'half a fi');
    await writeFile(join(folder, 'incoming', 'fresh'), 'half a fi');
    const longAgo = Date.now() / 1_000 - 2 * 3_600;
    await utimes(join(folder, 'incoming', 'left'), longAgo, longAgo);
    await new DiskStorage(folder).onModuleInit();
    expect(await readdir(join(folder, 'incoming'))).toEqual(['fresh']);
  });
});
