import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { loopbackEgress } from '../../../../test/support/loopback-egress.js';
import { wrapperFolderOf } from '../../../../test/support/browser-folders.js';
import { browsersOf } from '../../../../test/support/processes.js';
import { BrowserPoolService } from '../slots/browser-pool.service.js';
import { browserEnv, evaluate } from '../../../../test/support/browser.js';

// Each test starts browsers, possibly on a busy machine.
jest.setTimeout(60_000);
// The warnings about browsers that die here are expected.
Logger.overrideLogger(false);

const never = new AbortController().signal;
const SECRET = 'the-key-that-encrypts-secrets';
/** The services of the tests have found it. */
const { PUPPETEER_EXECUTABLE_PATH: realBrowser = '' } = process.env;
const ROOT_FILE = '/etc/shadow';

let home: string;
let dataDir: string;

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'bu-'));
  dataDir = path.join(home, '.data');
  await mkdir(dataDir, { mode: 0o700 });
  await writeFile(path.join(dataDir, 'secrets-key'), SECRET, { mode: 0o600 });
});

afterEach(() => rm(home, { recursive: true }));

/** A program in place of a compromised browser: it prints what it can access and exits, which counts as a failed start. */
async function spy(folder: string): Promise<string> {
  const file = path.join(folder, 'browser');
  const lines = [
    '#!/bin/sh',
    'exec 1>&2',
    'id -u',
    `cat '${path.join(dataDir, 'secrets-key')}' && echo reached the key`,
    `cat /proc/${process.pid}/environ >/dev/null && echo reached the environment`,
    `head -c 1 '${ROOT_FILE}' >/dev/null && echo reached a file of root`,
    `echo > '${path.join(home, 'written')}' && echo reached the disk`,
    'touch "$HOME/x" "$TMPDIR/x" && echo wrote at home',
    'exit 1',
  ];
  await writeFile(file, lines.join('\n'));
  await chmod(file, 0o755);
  return file;
}

/** The output of the spy when it is started like a browser. */
async function reach(program: string): Promise<string> {
  const settings = { WORKER_SLOTS: 1, DATA_DIR: dataDir, PUPPETEER_EXECUTABLE_PATH: program };
  const pool = new BrowserPoolService(browserEnv(settings), loopbackEgress());
  const failure: unknown = await pool.start().catch((error: unknown) => error);
  await pool.close();
  return failure instanceof Error ? failure.message : '';
}

/** All processes of the browser belong to one user, which is not root. */
function expectOwnUser(): void {
  const statuses = browsersOf(process.pid).flatMap(({ pid }) => {
    try {
      return [readFileSync(`/proc/${pid}/status`, 'utf8')];
    } catch {
      // It has ended.
      return [];
    }
  });
  const users = new Set(statuses.map((status) => /^Uid:\s+(\d+)/m.exec(status)?.[1]));
  expect([...users]).toEqual([expect.stringMatching(/^6\d{4}$/)]);
}

(process.getuid?.() === 0 ? describe : describe.skip)('a browser of root', () => {
  it('is another user, without access to the data folder and the worker', async () => {
    await chmod(home, 0o755);
    const said = await reach(await spy(home));
    expect(said).toMatch(/^.*output: 6\d{4}$/m);
    expect(said).not.toContain(SECRET);
    expect(said).not.toMatch(/reached/);
    expect(said).toContain('wrote at home');
  });

  it('is another user, also for a program in a folder that is closed to others', async () => {
    // Like the browser that `npm start` unpacks into the data folder of a checkout in /root.
    const folder = path.join(dataDir, 'chromium', '1.0.0');
    await mkdir(folder, { recursive: true, mode: 0o755 });
    const said = await reach(await spy(folder));
    expect(said).toMatch(/^.*output: 6\d{4}$/m);
    expect(said).not.toContain(SECRET);
    expect(said).not.toMatch(/reached/);
    expect(said).toContain('wrote at home');
  });

  it('does not see the data folder when it cannot be another user', async () => {
    const folder = path.join(dataDir, 'chromium', '1.0.0');
    await mkdir(folder, { recursive: true, mode: 0o755 });
    const said = await reachWithout('setuid', await spy(folder));
    expect(said).toMatch(/^nobody in a namespace, without the data folder/);
    expect(said).toContain('65534');
    expect(said).not.toContain(SECRET);
    expect(said).not.toMatch(/reached the (key|environment)/);
  });

  it.each(['on', 'off'])('captures with its sandbox %s, as a user of its own', async (CHROMIUM_SANDBOX) => {
    const settings = {
      WORKER_SLOTS: 1,
      DATA_DIR: dataDir,
      PUPPETEER_EXECUTABLE_PATH: realBrowser,
      CHROMIUM_SANDBOX,
    };
    const pool = new BrowserPoolService(browserEnv(settings), loopbackEgress());
    await pool.start();
    try {
      const picture = await pool.withPage(never, ({ page }) => page.screenshot());
      expect(Buffer.from(picture.subarray(1, 4)).toString()).toBe('PNG');
      expectOwnUser();
    } finally {
      await pool.close();
    }
    expect(browsersOf(process.pid)).toEqual([]);
  });

  it('captures with a program in a closed folder, too', async () => {
    const folder = path.join(dataDir, 'chromium', '1.0.0');
    await mkdir(folder, { recursive: true, mode: 0o755 });
    const script = path.join(folder, 'chromium');
    await writeFile(script, `#!/bin/sh\nexec '${realBrowser}' "$@"\n`);
    await chmod(script, 0o755);
    // The browser from npm lies in a closed folder by itself.
    const program = wrapperFolderOf(realBrowser) === tmpdir() ? script : realBrowser;
    const settings = { WORKER_SLOTS: 1, DATA_DIR: dataDir, PUPPETEER_EXECUTABLE_PATH: program };
    const pool = new BrowserPoolService(browserEnv(settings), loopbackEgress());
    await pool.start();
    try {
      expect(await pool.withPage(never, ({ page }) => evaluate(page, () => 6 * 7))).toBe(42);
      expect(pool.state().sandbox).toBe(true);
      expectOwnUser();
    } finally {
      await pool.close();
    }
  });
});

/** The same in a process without a capability, as in a container. */
async function reachWithout(capability: string, program: string): Promise<string> {
  const source = path.join(import.meta.dirname, 'browser-user.ts');
  const script = `
    import { spawnSync } from 'node:child_process';
    import { BrowserUser } from '${source}';
    const needs = { program: '${program}', files: [], dataDir: '${dataDir}', folder: '${home}', sandbox: true };
    const user = await BrowserUser.choose(needs);
    const { file, args } = user.wrap({ file: '${program}', args: [] }, user.nextUid());
    const { stderr } = spawnSync(file, args, { encoding: 'utf8', env: { HOME: '/tmp', TMPDIR: '/tmp' } });
    console.log(user.name + '\\n' + stderr);`;
  const { stdout } = await promisify(execFile)('setpriv', [
    `--bounding-set=-${capability}`,
    ...[process.execPath, '--input-type=module', '--eval', script],
  ]);
  return stdout;
}
