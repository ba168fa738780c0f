import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { readlinkSync, statSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mountTinyDisk } from '../../../../test/support/tiny-disk.js';
import { Spool } from './spool.js';

const disk = await mountTinyDisk(2);

describe(Spool.name, () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'spool-'));
  });

  afterAll(async () => {
    await rm(folder, { recursive: true });
    await disk?.remove();
  });

  const linesOf = async (spool: Spool): Promise<string[]> => {
    const texts: string[] = [];
    for await (const text of spool.read()) texts.push(text);
    return texts.flatMap((text) => text.trimEnd().split('\n'));
  };

  it('returns the added lines in order, any number of times', async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `${i} ${'ü'.repeat(i % 100)}`);
    await Spool.with(async (spool) => {
      for (const line of lines) await spool.add(line);
      expect(await linesOf(spool)).toEqual(lines);
      await spool.add('one more');
      expect(await linesOf(spool)).toEqual([...lines, 'one more']);
    }, folder);
  });

  it('accepts a line that is larger than a chunk', async () => {
    const line = 'x'.repeat(3_000_000);
    const lines = await Spool.with(async (spool) => {
      await spool.add('before');
      await spool.add(line);
      return linesOf(spool);
    }, folder);
    expect(lines).toEqual(['before', line]);
  });

  it('takes 128 MB, line breaks included, and no byte more, whether they are written yet or not', async () => {
    const megabyte = 'x'.repeat(1_000_000 - 1);
    const small = 'x'.repeat(100_000 - 1);
    await Spool.with(async (spool) => {
      for (let i = 0; i < 134; i++) await spool.add(megabyte);
      for (const line of [small, small, 'x'.repeat(17_728 - 1)]) await spool.add(line);
      await expect(spool.add('')).rejects.toMatchObject({ code: 'payload_too_large' });
    }, folder);
  });

  it('has no file name, is readable by its owner alone, and is closed afterwards, also after an error', async () => {
    const held = (): string[] =>
      readdirSync('/proc/self/fd')
        .map((fd) => `/proc/self/fd/${fd}`)
        .filter((link) => {
          try {
            return readlinkSync(link).startsWith(folder);
          } catch {
            return false;
          }
        });
    const use = Spool.with(async (spool) => {
      await spool.add('x'.repeat(1_000_000));
      expect(await readdir(folder)).toEqual([]);
      const [link = ''] = held();
      expect(statSync(link)).toMatchObject({ size: 1_000_001, nlink: 0 });
      expect(statSync(link).mode & 0o777).toBe(0o600);
      throw new Error('a fault');
    }, folder);
    await expect(use).rejects.toThrow('a fault');
    expect(held()).toEqual([]);
  });

  it('is unavailable without its folder', async () => {
    const use = Spool.with(() => Promise.resolve(), path.join(folder, 'missing'));
    await expect(use).rejects.toMatchObject({ code: 'storage_unavailable' });
  });

  const whereMountable = disk ? it : it.skip;
  whereMountable('is unavailable while the disk is full, and frees its space', async () => {
    const full = disk?.folder ?? '';
    const fill = (characters: number) =>
      Spool.with(async (spool) => {
        for (let i = 0; i < characters; i += 1_000) await spool.add('x'.repeat(999));
        return (await linesOf(spool)).length;
      }, full);
    await expect(fill(4_000_000)).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(await fill(1_500_000)).toBe(1_500);
    const ballast = path.join(full, 'ballast');
    await expect(writeFile(ballast, Buffer.alloc(3_000_000))).rejects.toMatchObject({ code: 'ENOSPC' });
    await expect(fill(1_000)).rejects.toMatchObject({ code: 'storage_unavailable' });
    await rm(ballast);
    expect(await fill(1_000)).toBe(1);
  });
});
