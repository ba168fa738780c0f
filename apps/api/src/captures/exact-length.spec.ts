import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { exactLength } from './exact-length.js';

describe(exactLength.name, () => {
  const pass = (length: number, ...chunks: string[]): Promise<string> =>
    Readable.from(exactLength(length, Readable.from(chunks.map((chunk) => Buffer.from(chunk)))))
      .toArray()
      .then((passed) => passed.join(''));

  it.each([
    [6, ['abc', 'def']],
    [3, ['abc']],
    [0, []],
  ])('passes on a file of the announced %i bytes', async (length, chunks) => {
    expect(await pass(length, ...chunks)).toBe(chunks.join(''));
  });

  it.each([
    ['shorter', 7],
    ['empty', 100],
    ['longer', 5],
  ])('fails when the file is %s than announced', async (what, length) => {
    const chunks = what === 'empty' ? [] : ['abc', 'def'];
    await expect(pass(length, ...chunks)).rejects.toMatchObject({ code: 'storage_unavailable' });
  });

  it('has reached the end of the file when it passes on the last bytes', async () => {
    let isAtEnd = false;
    async function* file(): AsyncGenerator<Buffer> {
      yield Buffer.from('abc');
      await Promise.resolve();
      isAtEnd = true;
    }
    for await (const _ of exactLength(3, file())) expect(isAtEnd).toBe(true);
    expect.assertions(1);
  });
});
