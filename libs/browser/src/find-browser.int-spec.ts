import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

// Puppeteer reads it when it is loaded, and would return the browser of the test run.
delete process.env.PUPPETEER_EXECUTABLE_PATH;
const { BrowserNotFoundError, findBrowser } = await import('./find-browser.js');

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
  return findBrowser({ chosen, searchPath, dataDir: path.join(folder, 'data') });
}

describe(findBrowser.name, () => {
  it('prefers the configured browser to all others', async () => {
    await program('first', 'chromium-headless-shell');
    const chosen = await program('elsewhere', 'my-browser');
    expect(await find(chosen)).toEqual({ file: chosen });
  });

  it('names the variable when the configured browser is no program, even if there are others', async () => {
    await program('first', 'chromium');
    await expect(find(folder + '/none')).rejects.toThrow(/^PUPPETEER_EXECUTABLE_PATH is .*\/none/);
  });

  it('prefers a headless shell to a full browser, wherever they are in the path', async () => {
    const full = await program('first', 'chromium');
    expect(await find()).toEqual({ file: full });
    const shell = await program('second', 'chromium-headless-shell');
    expect(await find()).toEqual({ file: shell });
    await chmod(shell, 0o644);
    expect(await find()).toEqual({ file: full });
  });

  it('uses the newest build from npm, with its libraries, when there is no other', async () => {
    await program('data', 'chromium', '99.0.0', 'chromium');
    const newest = await program('data', 'chromium', '153.0.0', 'chromium');
    await program('data', 'chromium', '154.0.0.draft', 'chromium');
    const libraryPath = path.join(path.dirname(newest), 'al2023', 'lib');
    expect(await find()).toEqual({ file: newest, libraryPath });
  });

  it('says what to do when there is no browser', async () => {
    await expect(find()).rejects.toThrow(BrowserNotFoundError);
    await expect(find()).rejects.toThrow(/apt install chromium-headless-shell.*PUPPETEER_EXECUTABLE_PATH/);
  });
});
