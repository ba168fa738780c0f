import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WorkerFolder } from './worker-folder.js';

const isRoot = process.getuid?.() === 0;
/** No user has this id. */
const STRANGER = 60_999;
/** No process has this id, which exceeds the maximum of Linux. */
const DEAD = 4_194_305;

let parent: string;
let opened: WorkerFolder[];

beforeEach(async () => {
  opened = [];
  parent = await mkdtemp(path.join(tmpdir(), 'wf-'));
});

afterEach(async () => {
  await Promise.all(opened.map((folder) => folder.remove()));
  await rm(parent, { recursive: true });
});

async function open({ dataDir = parent, passable = false } = {}): Promise<WorkerFolder> {
  const folder = await WorkerFolder.open({ dataDir, passable });
  opened.push(folder);
  return folder;
}

/** A folder that claims to be that of a dead worker. */
async function leave(letters: string, { pid = DEAD, host = hostname(), start = '77' } = {}): Promise<string> {
  const folder = path.join(parent, `capture-browsers.${pid}.${letters}`);
  await mkdir(path.join(folder, 'b-abcdef', 't'), { recursive: true });
  await writeFile(path.join(folder, 'owner'), `${start} ${host}`);
  await chmod(folder, 0o700);
  return folder;
}

const namesIn = async (folder: string): Promise<string[]> => (await readdir(folder)).sort();

describe(WorkerFolder.name, () => {
  it('removes the folders of dead workers of this machine, and nothing else', async () => {
    const living = await open();
    const kept = [
      living.path,
      await leave('aaaaaa', { host: 'another-host' }),
      path.join(parent, 'capture-browsers'),
      path.join(parent, `something.else.${DEAD}.abcdef`),
    ];
    await leave('bbbbbb');
    // Another process has the id of the dead worker now.
    await leave('cccccc', { pid: process.pid });
    for (const folder of kept) await mkdir(folder, { recursive: true });
    const own = await open();
    expect(await namesIn(parent)).toEqual([...kept, own.path].map((folder) => path.basename(folder)).sort());
  });

  it('removes the folders of workers that were killed while they created them, unless one may be doing so now', async () => {
    const folder = (letters: string) => path.join(parent, `capture-browsers.${process.pid}.${letters}`);
    const hoursAgo = new Date(Date.now() - 2 * 3_600_000);
    const leaveUnowned = async (letters: string, files: readonly string[], at?: Date): Promise<void> => {
      await mkdir(folder(letters), { mode: 0o700 });
      for (const name of files) await writeFile(path.join(folder(letters), name), '');
      if (at) await utimes(folder(letters), at, at);
    };
    await leaveUnowned('before', [], hoursAgo);
    await leaveUnowned('within', ['owner'], hoursAgo);
    await leaveUnowned('recent', []);
    await leaveUnowned('filled', ['b-abcdef'], hoursAgo);
    await WorkerFolder.removeStale(parent);
    expect(await namesIn(parent)).toEqual(
      [folder('filled'), folder('recent')].map((each) => path.basename(each)),
    );
  });

  it('follows no link, and removes no folder that others can change', async () => {
    const precious = path.join(parent, 'precious');
    await mkdir(path.join(precious, 'b-abcdef'), { recursive: true });
    await writeFile(path.join(precious, 'owner'), `77 ${hostname()}`);
    await chmod(precious, 0o700);
    await symlink(precious, path.join(parent, `capture-browsers.${DEAD}.linked`));
    await chmod(await leave('shared'), 0o777);
    await chmod(await leave('lookat'), 0o755);
    await leave('remove');
    const own = await open();
    expect(await namesIn(parent)).toEqual(
      [
        `capture-browsers.${DEAD}.linked`,
        `capture-browsers.${DEAD}.lookat`,
        `capture-browsers.${DEAD}.shared`,
        path.basename(own.path),
        'precious',
      ].sort(),
    );
    expect(await namesIn(precious)).toEqual(['b-abcdef', 'owner']);
  });

  it('ignores a place whose contents others can replace', async () => {
    await leave('abcdef');
    await chmod(parent, 0o777);
    const folder = await open();
    expect(path.dirname(folder.path)).toBe(tmpdir());
    expect(await namesIn(parent)).toEqual([`capture-browsers.${DEAD}.abcdef`]);
  });

  it('is in the data folder of the service, unless that is missing or its path too long for a socket', async () => {
    expect(path.dirname((await open()).path)).toBe(parent);
    const deep = path.join(parent, 'a-folder-with-a-name-that-is-much-too-long');
    await mkdir(deep);
    for (const dataDir of [deep, path.join(parent, 'none')]) {
      expect(path.dirname((await open({ dataDir })).path)).toBe(tmpdir());
    }
  });

  it('creates and removes a folder for each browser', async () => {
    const folder = await open();
    const [one, other] = [await folder.openBrowserFolder(), await folder.openBrowserFolder()];
    expect(one.home).not.toBe(other.home);
    await writeFile(path.join(one.temporary, 'file'), 'text');
    await one.remove();
    expect(await namesIn(folder.path)).toEqual([path.basename(other.home), 'owner']);
    expect((await stat(folder.path)).mode & 0o777).toBe(0o700);
    await folder.remove();
    expect(await namesIn(parent)).toEqual([]);
  });

  it('is created again after it was removed, even if another user has taken its name', async () => {
    const folder = await open();
    const taken = folder.path;
    await folder.remove();
    const precious = path.join(parent, 'precious');
    await mkdir(precious);
    await symlink(precious, taken);
    const { temporary } = await folder.openBrowserFolder();
    expect(await namesIn(temporary)).toEqual([]);
    expect(folder.path).not.toBe(taken);
    expect(await namesIn(precious)).toEqual([]);
  });
});

(isRoot ? describe : describe.skip)(`${WorkerFolder.name} of root`, () => {
  it('removes no folder of another user', async () => {
    const foreign = await leave('abcdef');
    await chown(foreign, STRANGER, STRANGER);
    const own = await open();
    expect(await namesIn(parent)).toEqual([foreign, own.path].map((folder) => path.basename(folder)).sort());
    expect(await namesIn(foreign)).toEqual(['b-abcdef', 'owner']);
  });

  it('is accessible to browsers of other users, which see nothing else in it', async () => {
    // Only root can pass through the parent.
    const folder = await open({ passable: true });
    expect(path.dirname(folder.path)).toBe(tmpdir());
    expect((await stat(folder.path)).mode & 0o777).toBe(0o711);
    const { home, temporary } = await folder.openBrowserFolder(STRANGER);
    for (const mine of [home, temporary]) {
      expect(await stat(mine)).toMatchObject({ uid: STRANGER, gid: STRANGER });
      expect((await stat(mine)).mode & 0o777).toBe(0o700);
    }
  });

  it('removes the files of a browser, also those without permissions', async () => {
    const folder = await open({ passable: true });
    const { home, temporary, remove } = await folder.openBrowserFolder(STRANGER);
    const closed = path.join(temporary, 'closed');
    await mkdir(path.join(closed, 'deeper'), { recursive: true });
    for (const mine of [path.join(closed, 'deeper'), closed]) await chown(mine, STRANGER, STRANGER);
    await chmod(closed, 0o000);
    await remove();
    expect(await namesIn(folder.path)).toEqual(['owner']);
    expect(await stat(home).catch(() => 'gone')).toBe('gone');
  });

  it('removes nothing that the browser itself could not remove', async () => {
    const folder = await open({ passable: true });
    const { temporary, remove } = await folder.openBrowserFolder(STRANGER);
    // A folder of root, in place of one that a browser links to while its own is being removed.
    const precious = path.join(temporary, 'precious');
    await mkdir(path.join(precious, 'inside'), { recursive: true });
    await remove();
    expect(await namesIn(precious)).toEqual(['inside']);
    await rm(precious, { recursive: true });
  });

  it('removes the files of other users in the folder of a dead worker', async () => {
    const left = await leave('abcdef');
    await chmod(left, 0o711);
    await chmod(parent, 0o711);
    for (const mine of ['b-abcdef/t', 'b-abcdef']) await chown(path.join(left, mine), STRANGER, STRANGER);
    const own = await open();
    expect(await namesIn(parent)).toEqual([path.basename(own.path)]);
  });
});
