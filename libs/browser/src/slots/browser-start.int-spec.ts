import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { browserCacheDir, Env, searchPath } from '@app/config';
import { browserFolders, wrapperFolderOf } from '../../../../test/support/browser-folders.js';
import { eventually } from '../../../../test/support/eventually.js';
import { loopbackEgress } from '../../../../test/support/loopback-egress.js';
import {
  browsersFromNow,
  browsersOf,
  processes,
  type ProcessRow,
} from '../../../../test/support/processes.js';
import { BrowserPoolService } from './browser-pool.service.js';
import { BrowserStartError } from '../process/started-process.js';
import { BrowserNotFoundError, findBrowser } from '../launch/find-browser.js';
import { SandboxUnavailableError } from '../process/browser-launcher.js';
import { tryBrowser } from '../process/try-browser.js';
import { browserEnv, evaluate } from '../../../../test/support/browser.js';

// Each test starts browsers, possibly on a busy machine.
jest.setTimeout(60_000);
// The warnings about browsers that die here are expected.
Logger.overrideLogger(false);

const never = new AbortController().signal;
const root = path.resolve(import.meta.dirname, '../../../..');
const pools: BrowserPoolService[] = [];
const programs: string[] = [];
let folder: string;
let real: string;
let ours: () => ProcessRow[];

beforeEach(async () => {
  ours = browsersFromNow();
  folder = await mkdtemp(path.join(tmpdir(), 'browser-start-'));
  real = findBrowser({
    chosen: undefined,
    searchPath: searchPath(),
    cacheDir: browserCacheDir(),
    dataDir: '.data',
  }).file;
});

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
  await Promise.all([folder, ...programs.splice(0)].map((file) => rm(file, { recursive: true })));
  expect(browserFolders(process.pid)).toEqual([]);
  await eventually('no browser is left', () => ours().length === 0);
});

/** A program in place of the browser. */
async function program(script: string): Promise<string> {
  const file = path.join(wrapperFolderOf(real), `browser-${randomUUID()}`);
  programs.push(file);
  await writeFile(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

function newPool(settings: Partial<Env>): BrowserPoolService {
  const pool = new BrowserPoolService(browserEnv(settings), loopbackEgress());
  pools.push(pool);
  return pool;
}

describe(`${BrowserPoolService.name} at startup`, () => {
  it('names the variable when the configured browser is missing', async () => {
    const start = newPool({ PUPPETEER_EXECUTABLE_PATH: path.join(folder, 'none') }).start();
    await expect(start).rejects.toThrow(BrowserNotFoundError);
    await expect(start).rejects.toThrow(/^PUPPETEER_EXECUTABLE_PATH is /);
  });

  it('includes the output of a browser that did not start', async () => {
    const file = await program('echo "libnss3.so: cannot open shared object file" >&2; exit 127');
    const start = newPool({ PUPPETEER_EXECUTABLE_PATH: file }).start();
    await expect(start).rejects.toThrow(BrowserStartError);
    await expect(start).rejects.toThrow('libnss3.so: cannot open shared object file');
  });

  it('names the setting when the browser starts only without its sandbox', async () => {
    const file = await program(`case "$*" in *--no-sandbox*) exec '${real}' "$@";; esac; exit 1`);
    const start = newPool({ PUPPETEER_EXECUTABLE_PATH: file }).start();
    await expect(start).rejects.toThrow(SandboxUnavailableError);
    await expect(start).rejects.toThrow('CHROMIUM_SANDBOX=off');
    const unsafe = newPool({ PUPPETEER_EXECUTABLE_PATH: file, CHROMIUM_SANDBOX: 'off' });
    await unsafe.start();
    expect(unsafe.state()).toMatchObject({ healthy: 1, sandbox: false });
  });

  it('works with the slots that have started, and later with the others', async () => {
    const latch = path.join(folder, 'latch');
    await mkdir(latch);
    // Only one process can remove a folder: that process is the browser that does not start.
    const file = await program(`rmdir '${latch}' 2>/dev/null && exit 1; exec '${real}' "$@"`);
    const pool = newPool({ PUPPETEER_EXECUTABLE_PATH: file, WORKER_SLOTS: 2 });
    await pool.start();
    expect(await pool.withPage(never, ({ page }) => evaluate(page, () => 1 + 1))).toBe(2);
    await eventually('both slots have a browser', () => pool.state().healthy === 2);
  });
});

describe(`${BrowserPoolService.name} in a process`, () => {
  it('keeps trying while the browser cannot be run, reports it, and recovers', async () => {
    const file = await program(`exec '${real}' "$@"`);
    const pool = newPool({ PUPPETEER_EXECUTABLE_PATH: file });
    await pool.start();
    await chmod(file, 0o000);
    const groups = new Set(ours().map(({ group }) => group));
    for (const group of groups) process.kill(-group, 'SIGKILL');
    await eventually('the pool says that it has no browser', () => pool.state().healthy === 0);
    const waiting = pool.withPage(never, ({ page }) => evaluate(page, () => 1 + 1));
    await chmod(file, 0o755);
    expect(await waiting).toBe(2);
    expect(pool.state()).toMatchObject({ healthy: 1, restarts: 1 });
  });

  it('leaves no browser behind when its process is killed, and the next one removes its folders', async () => {
    const build = await mkdtemp(path.join(root, 'node_modules', '.browser-start-'));
    try {
      const owner = await startOwner(build);
      const browsers = browsersOf(owner);
      expect(browsers).not.toEqual([]);
      expect(browserFolders(owner)).toHaveLength(1);
      process.kill(owner, 'SIGKILL');
      const groups = new Set(browsers.map(({ group }) => group));
      await eventually('it and its browsers are gone', () =>
        processes().every(({ pid, group }) => pid !== owner && !groups.has(group)),
      );
      await newPool({}).start();
      // A pool of another spec may have begun to remove it.
      await eventually('its folder is removed', () => browserFolders(owner).length === 0);
      expect(browserFolders(process.pid)).toHaveLength(1);
    } finally {
      await rm(build, { recursive: true });
    }
  });
});

/** A separate process with two browsers; the library is compiled for it, because Node cannot run its source. */
async function startOwner(build: string): Promise<number> {
  const files = globSync('libs/{kernel,config,browser}/src/**/*.ts', {
    cwd: root,
    exclude: ['**/*.{spec,int-spec}.ts'],
  });
  const compiler = promisify(execFile)(
    process.execPath,
    [path.join(root, 'apps/launcher/src/compile.mjs'), build],
    { cwd: root },
  );
  compiler.child.stdin?.end(files.join('\n'));
  await compiler;
  const main = path.join(build, 'owner.mjs');
  await writeFile(
    main,
    `import 'reflect-metadata';
    import { BrowserPoolService } from './libs/browser/src/index.js';
    import { Env } from './libs/config/src/index.js';
    const egress = { proxyUrl: 'http://127.0.0.1:9', close: async () => {} };
    await new BrowserPoolService(new Env(), { open: async () => egress }).start();
    process.stdout.write('started');`,
  );
  const child = spawn(process.execPath, [main], { stdio: ['ignore', 'pipe', 'inherit'] });
  // It prints that it has started, or it ends.
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  if (child.pid === undefined || child.exitCode !== null) throw new Error('The owner did not start.');
  return child.pid;
}

describe(tryBrowser.name, () => {
  const envOf = (settings: Partial<Env>): Env => Object.assign(new Env(), { DATA_DIR: folder }, settings);

  it('resolves for a browser that draws, and leaves nothing behind', async () => {
    const { CHROMIUM_SANDBOX = 'on' } = process.env;
    await tryBrowser(envOf({ PUPPETEER_EXECUTABLE_PATH: real, CHROMIUM_SANDBOX }));
    expect(browserFolders(process.pid)).toEqual([]);
  });

  it('rejects with the output of a browser that did not start', async () => {
    const file = await program('echo "libnss3.so: cannot open shared object file" >&2; exit 127');
    const attempt = tryBrowser(envOf({ PUPPETEER_EXECUTABLE_PATH: file }));
    await expect(attempt).rejects.toThrow('libnss3.so: cannot open shared object file');
  });

  it('requires the sandbox only where it is on', async () => {
    const file = await program(`case "$*" in *--no-sandbox*) exec '${real}' "$@";; esac; exit 1`);
    await expect(tryBrowser(envOf({ PUPPETEER_EXECUTABLE_PATH: file }))).rejects.toThrow(BrowserStartError);
    await tryBrowser(envOf({ PUPPETEER_EXECUTABLE_PATH: file, CHROMIUM_SANDBOX: 'off' }));
  });
});
