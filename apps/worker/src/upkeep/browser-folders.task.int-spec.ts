import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WorkerFolder } from '@app/browser';
import { Env } from '@app/config';
import { BrowserFoldersTask } from './browser-folders.task.js';
import { TASKS } from './tasks.js';

describe(BrowserFoldersTask.name, () => {
  let dataDir: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'bf-'));
  });

  afterAll(() => rm(dataDir, { recursive: true }));

  it('removes the folder of a worker that was killed while this one runs, and not that of this one', async () => {
    const own = await WorkerFolder.open({ dataDir, passable: false });
    const { home } = await own.openBrowserFolder();
    // The process with this id started at another time.
    const left = path.join(dataDir, `capture-browsers.${process.pid}.killed`);
    await mkdir(path.join(left, 'b-abcdef', 'profile'), { recursive: true });
    await writeFile(path.join(left, 'owner'), `77 ${hostname()}`);
    await chmod(left, 0o700);

    await new BrowserFoldersTask(Object.assign(new Env(), { DATA_DIR: dataDir })).run();
    expect(await readdir(dataDir)).toEqual([path.basename(own.path)]);
    expect(await readdir(own.path)).toContain(path.basename(home));
    await own.remove();
  });

  it('is among the tasks of every worker', () => {
    expect(TASKS).toContain(BrowserFoldersTask);
  });
});
