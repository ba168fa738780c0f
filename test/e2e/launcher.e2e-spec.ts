import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { descendants, killProcess, processes } from '../support/processes.js';

interface Run {
  readonly npm: ChildProcess;
  output(): string;
  /** Exit code of npm. */
  readonly ended: Promise<number | null>;
}

describe('npm start', () => {
  let dataDir: string;
  let env: NodeJS.ProcessEnv;
  let url: string;
  const runs: Run[] = [];
  /** How many captures there were when the service was stopped. */
  const kept: number[] = [];

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(os.tmpdir(), 'capture-start-'));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    env = {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: String(port),
      WORKER_PORT: String(await freePort()),
      // Another service on this machine may take the default ports between the check and the start.
      METRICS_PORT: '0',
      WORKER_METRICS_PORT: '0',
    };
    // It starts as in a terminal, not as a script of the npm that runs the tests.
    for (const name of Object.keys(env)) if (/^npm_|^INIT_CWD$/.test(name)) delete env[name];
    delete env.BROWSER_NICENESS;
  });

  afterAll(async () => {
    for (const { npm } of runs) npm.kill('SIGTERM');
    await Promise.all(runs.map(({ ended }) => ended));
    await eventually('nothing of it runs', () => ours().length === 0);
    await rm(dataDir, { recursive: true, force: true });
  }, 120_000);

  const npmStart = (more: NodeJS.ProcessEnv = {}): Run => {
    const npm = spawn('npm', ['start'], { env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [npm.stdout, npm.stderr]) {
      stream.setEncoding('utf8').on('data', (part: string) => (text += part));
    }
    const run = { npm, output: () => text, ended: once(npm, 'exit').then(([code]) => code as number | null) };
    runs.push(run);
    return run;
  };

  const started = async (): Promise<Run> => {
    const run = npmStart();
    const isSettled = () => run.output().includes(`${url}/v1/capture`) || run.npm.exitCode !== null;
    await eventually('the service is up', isSettled, 90_000);
    expect(run.output()).toContain(`${url}/v1/capture`);
    return run;
  };

  /** Processes whose command names the data folder of this service. */
  const ours = () => processes().filter(({ command }) => command.includes(dataDir));
  const launcherOf = ({ npm }: Run) =>
    descendants(npm.pid ?? 0).findLast(({ command }) => command.includes('apps/launcher/src/main.mjs'))?.pid;
  const key = () => readFile(path.join(dataDir, 'api-key'), 'utf8').then((text) => text.trim());
  const capture = async () =>
    fetch(`${url}/v1/capture`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await key()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ html: '<h1>Hello</h1>' }),
    });

  const captures = async (): Promise<number> => {
    const response = await fetch(`${url}/v1/captures`, {
      headers: { authorization: `Bearer ${await key()}` },
    });
    return ((await response.json()) as { items: unknown[] }).items.length;
  };

  describe('a service that runs', () => {
    let run: Run;

    beforeAll(async () => {
      run = await started();
    }, 120_000);

    it('takes a picture with the key that it made, which only this user may read', async () => {
      expect((await capture()).headers.get('content-type')).toBe('image/png');
      const browsers = descendants(run.npm.pid ?? 0).filter(({ command }) => command.includes('--headless'));
      expect(new Set(browsers.map(({ pid }) => os.getPriority(pid)))).toEqual(new Set([0]));
      expect((await stat(path.join(dataDir, 'api-key'))).mode & 0o777).toBe(0o600);
      expect((await stat(path.join(dataDir, 'secrets-key'))).mode & 0o777).toBe(0o600);
    });

    it('is not started twice on the same data', async () => {
      const second = npmStart();
      expect(await second.ended).toBe(1);
      expect(second.output()).toContain(`already runs on ${dataDir}`);
    });

    it('makes a second one on other data name the variable of the port that is taken', async () => {
      const other = await mkdtemp(path.join(os.tmpdir(), 'capture-start-'));
      const second = npmStart({ DATA_DIR: other });
      expect(await second.ended).toBe(1);
      expect(second.output()).toMatch(/Set PORT to a free one/);
      await rm(other, { recursive: true });
    });

    it.each(['api', 'worker'])(
      'starts the %s again when it ends by itself',
      async (name) => {
        const pid = () =>
          descendants(run.npm.pid ?? 0).find(({ command }) => command.includes(`dist/bundles/${name}.js`))
            ?.pid;
        const first = pid();
        killProcess(first);
        await eventually('another one runs', () => pid() !== undefined && pid() !== first);
        // Its output takes a moment through the pipes of npm.
        const line = `${name} ended unexpectedly (SIGKILL)`;
        await eventually('it says so', () => run.output().includes(line));
        const captures = async () => (await capture().catch(() => undefined))?.ok === true;
        await eventually('it captures', captures, 60_000);
      },
      120_000,
    );

    it.each(['SIGINT', 'SIGTERM'] as const)(
      'ends everything on %s to npm, and keeps all data',
      async (signal) => {
        if (run.npm.exitCode !== null) run = await started();
        const made = await captures();
        expect(made).toBeGreaterThan(0);
        const tree = descendants(run.npm.pid ?? 0).map(({ pid }) => pid);
        run.npm.kill(signal);
        expect(await run.ended).toBe(0);
        await eventually('all its processes ended', () =>
          processes().every(({ pid }) => !tree.includes(pid)),
        );
        expect(existsSync(path.join(dataDir, 'launcher.lock'))).toBe(false);
        expect(existsSync(path.join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
        kept.push(made);
      },
      120_000,
    );
  });

  it('starts again after its launcher was killed', async () => {
    const run = await started();
    killProcess(launcherOf(run));
    await run.ended;
    const next = await started();
    expect(next.output()).not.toContain('already runs');
    // All that was captured before each end.
    expect([...kept, await captures()]).toEqual(Array.from({ length: 3 }, () => kept[0]));
  }, 120_000);

  it('ends when npm is killed', async () => {
    const npm = runs.at(-1)?.npm;
    expect(ours().length).toBeGreaterThan(0);
    npm?.kill('SIGKILL');
    await eventually('nothing of it runs', () => ours().length === 0);
  });

  it('refuses a database that a commit before version 0.2.0 made, and says what to do', async () => {
    await using database = await createDatabase();
    await database.query(`UPDATE migrations SET timestamp = 1795000000000`);
    const run = npmStart({ DATABASE_URL: database.url });
    expect(await run.ended).toBe(1);
    expect(run.output()).toContain('made by a commit before version 0.2.0');
    expect(run.output()).toContain('Use an empty database');
    expect(run.output()).not.toContain('    at ');
  }, 120_000);
});
