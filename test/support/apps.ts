import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type AppProcess, type AppSettings, startApp } from './app-process.js';
import { createDatabase, liftRates, SECRETS_KEY, type TestDatabase } from './database.js';
import { freePort } from './free-port.js';

/** Both built applications, each in a process, with a database of their own. */
export interface Apps {
  /** URL of the API. */
  readonly url: string;
  /** An API key of the account `default`. */
  readonly key: string;
  readonly api: AppProcess;
  readonly worker: AppProcess;
  /** Their database, to read and change rows. */
  readonly database: TestDatabase;
  /** The variables they were started with. */
  readonly env: Readonly<Record<string, string>>;
  /** Ids of both processes, without their children. */
  readonly pids: readonly number[];
  /** Launches one more API or worker beside them, on a port of its own; the test waits until it is ready and stops it. */
  launch(name: AppSettings['name'], settings?: Readonly<Record<string, string>>): Promise<AppProcess>;
  /**
   * Ends the leases of a worker that died. They would end by themselves after 20 and 30 s, which test/faults/slow waits
   * for.
   */
  endLeases(): Promise<void>;
  /** Stops both as an operator would, and removes their data. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
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
  const cleanUp = new AsyncDisposableStack();
  try {
    const database = cleanUp.use(await createDatabase());
    const env = { ...(await ownSettings(database.url, cleanUp)), ...settings };
    const key = await firstKey(env);
    await liftRates(database.url);
    const api = startApp({ name: 'api', port: Number(env.PORT), env, checkout });
    cleanUp.defer(() => api.stop());
    const worker = startApp({ name: 'worker', port: Number(env.WORKER_PORT), env, checkout });
    cleanUp.defer(() => worker.stop());
    await Promise.all([api.ready(), worker.ready()]);
    const stop = () => cleanUp.disposeAsync();
    const pids = [api.pid, worker.pid];
    return {
      url: api.url,
      key,
      api,
      worker,
      database,
      env,
      pids,
      launch: (name, more) => launch(name, { ...env, ...more }, checkout),
      endLeases: () => endLeases(database),
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await cleanUp.disposeAsync();
    throw error;
  }
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

async function firstKey(env: Readonly<Record<string, string>>): Promise<string> {
  const script = ['apps/launcher/src/tasks.mjs', 'prepare-database'];
  const { stdout } = await promisify(execFile)(process.execPath, script, {
    env: { ...process.env, ...env },
  });
  return stdout.trim();
}
