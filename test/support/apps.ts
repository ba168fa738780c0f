import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type AppProcess, type AppSettings, startApp } from './app-process.js';
import { createDatabase, liftRates, SECRETS_KEY, type TestDatabase } from './database.js';
import { freePort } from './free-port.js';

/** A database and settings for processes of the built applications, which the test starts. */
export interface PreparedApps {
  /** An API key of the account `default`. */
  readonly key: string;
  /** Their database, to read and change rows. */
  readonly database: TestDatabase;
  /** The variables they are started with. */
  readonly env: Readonly<Record<string, string>>;
  /** Launches an API or worker on a port of its own; the test waits until it is ready and stops it. */
  launch(name: AppSettings['name'], settings?: Readonly<Record<string, string>>): Promise<AppProcess>;
  /** Removes their data. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Both built applications, each in a process, with a database of their own. */
export interface Apps extends PreparedApps {
  /** URL of the API. */
  readonly url: string;
  readonly api: AppProcess;
  readonly worker: AppProcess;
  /** Ids of both processes, without their children. */
  readonly pids: readonly number[];
  /**
   * Ends the leases of a worker that died. They would end by themselves after 20 and 30 s, which test/faults/slow waits
   * for.
   */
  endLeases(): Promise<void>;
  /** Stops both as an operator would, and removes their data. */
  stop(): Promise<void>;
}

interface FirstKey {
  readonly key: string;
  /** A database with the account and its key, which is copied for each test and removed with its server. */
  readonly template: TestDatabase;
}

let firstKey: Promise<FirstKey> | undefined;

/** Makes the first key as `npm start` does, once for all tests of a process: that takes half a second of CPU time. */
async function prepareFirstKey(): Promise<FirstKey> {
  const template = await createDatabase();
  const script = ['apps/launcher/src/tasks.mjs', 'prepare-database'];
  const { stdout } = await promisify(execFile)(process.execPath, script, {
    env: { ...process.env, DATABASE_URL: template.url },
  });
  await liftRates(template.url);
  // A database with a session cannot be copied.
  await template.end();
  return { key: stdout.trim(), template };
}

/** Prepares what `startApps` starts, for a test that does not need both an API and a worker with its browser. */
export async function prepareApps(
  settings: Readonly<Record<string, string>> = {},
  checkout?: string,
): Promise<PreparedApps> {
  await using opened = new AsyncDisposableStack();
  firstKey ??= prepareFirstKey();
  const { key, template } = await firstKey;
  const database = opened.use(await createDatabase(template));
  const env = { ...(await ownSettings(database.url, opened)), ...settings };
  const cleanUp = opened.move();
  const stop = () => cleanUp.disposeAsync();
  return {
    key,
    database,
    env,
    launch: (name, more) => launch(name, { ...env, ...more }, checkout),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/**
 * Starts the API and a worker and waits until both are ready. `settings` are variables of libs/config:
 * `EGRESS_ALLOW: '127.0.0.1:<port>'` opens a test site, `REDIS_URL` puts the queue into Redis. `checkout` is that of
 * `AppSettings`: `'.'` runs the modules of this checkout.
 */
export async function startApps(
  settings: Readonly<Record<string, string>> = {},
  checkout?: string,
): Promise<Apps> {
  await using opened = new AsyncDisposableStack();
  const prepared = opened.use(await prepareApps(settings, checkout));
  const { database, env } = prepared;
  const api = startApp({ name: 'api', port: Number(env.PORT), env, checkout });
  opened.defer(() => api.stop());
  const worker = startApp({ name: 'worker', port: Number(env.WORKER_PORT), env, checkout });
  opened.defer(() => worker.stop());
  await Promise.all([api.ready(), worker.ready()]);
  const cleanUp = opened.move();
  const stop = () => cleanUp.disposeAsync();
  return {
    ...prepared,
    url: api.url,
    api,
    worker,
    pids: [api.pid, worker.pid],
    endLeases: () => endLeases(database),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function launch(
  name: AppSettings['name'],
  env: Readonly<Record<string, string>>,
  checkout?: string,
): Promise<AppProcess> {
  const port = await freePort();
  const variable = name === 'api' ? 'PORT' : 'WORKER_PORT';
  return startApp({ name, port, env: { ...env, [variable]: String(port) }, checkout });
}

async function endLeases(database: TestDatabase): Promise<void> {
  await database.query(`UPDATE jobs SET lease_until = now() WHERE status = 'running'`);
  await database.query(`UPDATE webhook_deliveries SET lease_until = now() WHERE lease_until IS NOT NULL`);
}

async function ownSettings(databaseUrl: string, cleanUp: AsyncDisposableStack) {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'capture-apps-'));
  cleanUp.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }));
  return {
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    WORKER_PORT: String(await freePort()),
    METRICS_PORT: '0',
    WORKER_METRICS_PORT: '0',
    SHUTDOWN_DELAY_MS: '0',
    SECRETS_KEY,
    LOG_LEVEL: 'warn',
  };
}
