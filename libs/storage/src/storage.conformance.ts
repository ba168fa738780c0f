import type { Readable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { newId } from '@app/kernel';
import { FileNotFoundError, type Storage } from './storage.js';

/** The contract of every store; the spec of each store runs it. */
export function conformsToStorage(makeStorage: () => Storage): void {
  const bytesOf = async (stream: Readable): Promise<Buffer> =>
    Buffer.concat((await stream.toArray()) as Buffer[]);
  const aKey = (): string => `captures/${newId()}/1.png`;
  const content = Buffer.from('0123456789');

  it('returns the stored bytes', async () => {
    const storage = makeStorage();
    const key = aKey();
    const large = Buffer.alloc(3_000_000, 'capture');
    await storage.put(key, large);
    expect((await bytesOf(await storage.read(key))).equals(large)).toBe(true);
  });

  it('keeps its own copy of the bytes', async () => {
    const storage = makeStorage();
    const key = aKey();
    const bytes = Buffer.from(content);
    await storage.put(key, bytes);
    bytes.fill(0);
    expect(await bytesOf(await storage.read(key))).toEqual(content);
  });

  it('stores an empty file', async () => {
    const storage = makeStorage();
    const key = aKey();
    await storage.put(key, new Uint8Array());
    expect(await bytesOf(await storage.read(key))).toHaveLength(0);
  });

  it.each([
    [0, 0, '0'],
    [2, 5, '2345'],
    [9, 9, '9'],
    [5, 100, '56789'],
    [0, 9, '0123456789'],
  ])('reads bytes %i to %i', async (start, end, expected) => {
    const storage = makeStorage();
    const key = aKey();
    await storage.put(key, content);
    expect((await bytesOf(await storage.read(key, { start, end }))).toString()).toBe(expected);
  });

  it('replaces a file with the same key', async () => {
    const storage = makeStorage();
    const key = aKey();
    await storage.put(key, Buffer.from('a long first version'));
    await storage.put(key, content);
    expect(await bytesOf(await storage.read(key))).toEqual(content);
  });

  it('keeps the attempts of a capture apart', async () => {
    const storage = makeStorage();
    const id = newId();
    await storage.put(`captures/${id}/1.png`, Buffer.from('first'));
    await storage.put(`captures/${id}/2.png`, Buffer.from('second'));
    await storage.delete(`captures/${id}/1.png`);
    expect((await bytesOf(await storage.read(`captures/${id}/2.png`))).toString()).toBe('second');
    await expect(storage.read(`captures/${id}/1.png`)).rejects.toThrow(FileNotFoundError);
  });

  it('names a missing file', async () => {
    const key = aKey();
    const reading = makeStorage().read(key);
    await expect(reading).rejects.toThrow(FileNotFoundError);
    await expect(reading).rejects.toMatchObject({ key });
  });

  it('deletes a file twice without an error', async () => {
    const storage = makeStorage();
    const key = aKey();
    await storage.put(key, content);
    await storage.delete(key);
    await storage.delete(key);
    await expect(storage.read(key)).rejects.toThrow(FileNotFoundError);
  });

  it.each([
    '',
    '../../etc/passwd',
    '/etc/passwd',
    'captures/../../x.png',
    'captures/not-an-id/1.png',
    `captures/${newId()}/../1.png`,
    `captures/${newId()}/..`,
    `captures/${newId()}/1.png/2.png`,
    `captures/${newId()}/1.png\0`,
    `captures\\${newId()}\\1.png`,
    `captures/${newId().toUpperCase()}/1.png`,
    `CAPTURES/${newId()}/1.png`,
  ])('refuses the key %j', async (key) => {
    const storage = makeStorage();
    await expect(storage.put(key, content)).rejects.toThrow(TypeError);
    await expect(storage.read(key)).rejects.toThrow(TypeError);
    await expect(storage.delete(key)).rejects.toThrow(TypeError);
  });

  it('keeps every stored file when incomplete ones are removed', async () => {
    const [storage, key] = [makeStorage(), aKey()];
    await storage.put(key, content);
    await Promise.all([storage.removeIncomplete(), storage.removeIncomplete()]);
    expect(await bytesOf(await storage.read(key))).toEqual(content);
  });

  it('passes the check', async () => {
    await expect(makeStorage().check()).resolves.toBeUndefined();
  });
}
