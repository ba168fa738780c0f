import { execFile } from 'node:child_process';
import { lstat, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checkWritable, makeFolder, writeWhole } from './file-writer.js';

describe('a file', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'file-writer-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const parts = async function* (then: () => void): AsyncGenerator<Uint8Array> {
    yield Buffer.from('first');
    then();
    yield Buffer.from('second');
  };

  it('has all of its content, and replaces an earlier one', async () => {
    const file = path.join(folder, 'a');
    await writeFile(file, 'earlier');
    expect(
      await writeWhole(
        file,
        parts(() => undefined),
      ),
    ).toBe('firstsecond'.length);
    expect(await readFile(file, 'utf8')).toBe('firstsecond');
    expect(await readdir(folder)).toEqual(['a']);
  });

  it('keeps its earlier content when the new one breaks off or is interrupted, and nothing else remains', async () => {
    const file = path.join(folder, 'a');
    await writeFile(file, 'earlier');
    const lost = parts(() => {
      throw new Error('The connection was lost.');
    });
    await expect(writeWhole(file, lost)).rejects.toThrow('The connection was lost.');
    const interrupt = new AbortController();
    const interrupted = parts(() => interrupt.abort(new Error('Ctrl-C')));
    await expect(writeWhole(file, interrupted, interrupt.signal)).rejects.toThrow('Ctrl-C');
    const late = new AbortController();
    const whole = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('new');
      late.abort(new Error('Ctrl-C at the end'));
    };
    await expect(writeWhole(file, whole(), late.signal)).rejects.toThrow('Ctrl-C at the end');
    expect(await readFile(file, 'utf8')).toBe('earlier');
    expect(await readdir(folder)).toEqual(['a']);
  });

  it('that is a pipe is written to, not replaced', async () => {
    const pipe = path.join(folder, 'pipe');
    await promisify(execFile)('mkfifo', [pipe]);
    await checkWritable(pipe);
    const [text, size] = await Promise.all([
      readFile(pipe, 'utf8'),
      writeWhole(pipe, Buffer.from('through')),
    ]);
    expect({ text, size }).toEqual({ text: 'through', size: 7 });
    expect((await lstat(pipe)).isFIFO()).toBe(true);
  });

  it('is refused with the reason', async () => {
    await expect(checkWritable(folder)).rejects.toThrow('is a folder');
    await expect(checkWritable(path.join(folder, 'no/a'))).rejects.toThrow('does not exist');
    const long = path.join(folder, 'a'.repeat(300));
    await expect(writeWhole(long, Buffer.from('a'))).rejects.toThrow(
      'could not be written: its name is too long.',
    );
    expect(await readdir(folder)).toEqual([]);
  });

  it('has folders made for it, but never below a file or a link to nothing', async () => {
    const inside = path.join(folder, 'a', 'b');
    await makeFolder(inside);
    await makeFolder(inside);
    expect(await readdir(path.dirname(inside))).toEqual(['b']);
    await writeFile(path.join(folder, 'file'), '');
    await expect(makeFolder(path.join(folder, 'file', 'b'))).rejects.toThrow('could not be written');
    await symlink('nowhere', path.join(folder, 'link'));
    await expect(makeFolder(path.join(folder, 'link', 'b'))).rejects.toThrow('a link to nothing');
  });
});
