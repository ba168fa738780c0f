import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WorkerFolder } from './worker-folder.js';

let parent: string;

beforeEach(async () => {
  parent = await mkdtemp(path.join(tmpdir(), 'worker-folder-'));
});

afterEach(async () => {
  await rm(parent, { recursive: true });
});

/** No process has this number: it is above Linux's largest. */
const DEAD = 4_194_305;

describe(WorkerFolder.name, () => {
  it('removes what dead workers of this machine left, and nothing else', async () => {
    const living = path.basename((await WorkerFolder.open(parent)).path);
    const reusedNumber = living.replace(/\.\d+\.(\w+)$/, '.1.$1');
    const dead = `capture-browsers.${hostname()}.${DEAD}.77.abcdef`;
    const kept = [
      living,
      `capture-browsers.another-host.${DEAD}.77.abcdef`,
      'capture-browsers',
      'something.else.1.2.abcdef',
    ];
    for (const name of [...kept, reusedNumber, dead]) {
      await mkdir(path.join(parent, name, 'inside'), { recursive: true });
    }
    const own = path.basename((await WorkerFolder.open(parent)).path);
    expect((await readdir(parent)).sort()).toEqual([...kept, own].sort());
  });

  it('gives each browser a folder of its own and takes it back', async () => {
    const folder = await WorkerFolder.open(parent);
    const [one, other] = [await folder.openBrowserFolder(), await folder.openBrowserFolder()];
    expect(one.home).not.toBe(other.home);
    await writeFile(path.join(one.temporary, 'file'), 'text');
    await one.remove();
    expect(await readdir(folder.path)).toEqual([path.basename(other.home)]);
    await folder.remove();
    expect(await readdir(parent)).toEqual([]);
  });

  it('comes back after somebody removed it', async () => {
    const folder = await WorkerFolder.open(parent);
    await folder.remove();
    const { temporary } = await folder.openBrowserFolder();
    expect(await readdir(temporary)).toEqual([]);
  });
});
