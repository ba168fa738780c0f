import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BrowserNotFoundError, findBrowser } from './find-browser.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'find-browser-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function program(...parts: string[]): Promise<string> {
  const file = path.join(folder, ...parts);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, '');
  await chmod(file, 0o755);
  return file;
}

function find(chosen?: string): ReturnType<typeof findBrowser> {
  const searchPath = [path.join(folder, 'first'), path.join(folder, 'second')];
  const [dataDir, cacheDir] = [path.join(folder, 'data'), path.join(folder, 'cache')];
  return findBrowser({ chosen, searchPath, dataDir, cacheDir });
}

describe(findBrowser.name, () => {
  it('prefers the configured browser to all others', async () => {
    await program('first', 'chromium-headless-shell');
    const chosen = await program('elsewhere', 'my-browser');
    expect(find(chosen)).toEqual({ file: chosen });
  });

  it('names the variable when the configured browser is no program, even if there are others', async () => {
    await program('first', 'chromium');
    expect(() => find(folder + '/none')).toThrow(/^PUPPETEER_EXECUTABLE_PATH is .*\/none/);
  });

  it('prefers a headless shell to a full browser, wherever they are in the path', async () => {
    const full = await program('first', 'chromium');
    expect(find()).toEqual({ file: full });
    const shell = await program('second', 'chromium-headless-shell');
    expect(find()).toEqual({ file: shell });
    await chmod(shell, 0o644);
    expect(find()).toEqual({ file: full });
  });

  it('takes what Puppeteer has downloaded when the system has none: a headless shell first, the newest first', async () => {
    const full = await program('cache', 'chrome', 'linux-154.0.1', 'chrome-linux64', 'chrome');
    expect(find()).toEqual({ file: full });
    const shell = 'chrome-headless-shell';
    await program('cache', shell, 'linux-99.0.0', 'chrome-headless-shell-linux64', shell);
    const newest = await program('cache', shell, 'linux-153.0.0', 'chrome-headless-shell-linux64', shell);
    expect(find()).toEqual({ file: newest });
    const system = await program('first', 'chrome');
    expect(find()).toEqual({ file: system });
  });

  it('uses the newest build from npm, with its libraries, when there is no other', async () => {
    await program('data', 'chromium', '99.0.0', 'chromium');
    const newest = await program('data', 'chromium', '153.0.0', 'chromium');
    await program('data', 'chromium', '154.0.0.draft', 'chromium');
    const libraryPath = path.join(path.dirname(newest), 'al2023', 'lib');
    expect(find()).toEqual({ file: newest, libraryPath });
  });

  it('says what to do when there is no browser', async () => {
    expect(() => find()).toThrow(BrowserNotFoundError);
    expect(() => find()).toThrow(/apt install chromium-headless-shell.*PUPPETEER_EXECUTABLE_PATH/);
  });
});
