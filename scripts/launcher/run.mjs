import path from 'node:path';
import { APPS, urlOf } from './addresses.mjs';
import { startApp } from './apps.mjs';
import { findBrowser } from './browser.mjs';
import { build } from './build.mjs';
import { prepareDatabase, provideDatabase } from './database.mjs';
import { provideFonts } from './fonts.mjs';
import { takeLock } from './lock.mjs';
import { report, say } from './output.mjs';
import { dataFolder } from './paths.mjs';
import { settlePorts } from './ports.mjs';
import { untilReady } from './readiness.mjs';
import { requireRedis } from './redis-url.mjs';
import { saveApiKey, secretsKey } from './secrets.mjs';
import { createShutdown } from './shutdown.mjs';
import { welcome } from './welcome.mjs';

const DEFAULT_GRACE_MS = 45_000;
/** What an application may take beyond the grace that it gives to its captures. */
const SPARE_MS = 5_000;
/** What the database may take after them. */
const DATABASE_MS = 25_000;

/** All of `npm start` once the packages are installed: brings the service up and stays until it is told to end. */
export async function runService() {
  const graceMs = Number(process.env.SHUTDOWN_GRACE_MS || DEFAULT_GRACE_MS) + SPARE_MS;
  const shutdown = createShutdown({ limitMs: graceMs + DATABASE_MS });
  try {
    const { env, dataDir, lock } = await prepare(shutdown);
    if (shutdown.isStopping()) return;
    const apps = startApps({ env, lock, shutdown, graceMs });
    await Promise.all(apps.map((app) => untilReady(app, `${urlOf(app.name, env)}/readyz`, { env })));
    welcome({ env, dataDir });
    await Promise.all(apps.map((app) => app.keepRunning()));
  } catch (error) {
    if (!shutdown.isStopping()) report(error);
    await shutdown.stop(1);
  }
}

async function prepare(shutdown) {
  const dataDir = dataFolder();
  const lock = await takeLock(dataDir);
  shutdown.add(lock.release);
  const env = { LOG_FORMAT: 'pretty', ...process.env, DATA_DIR: dataDir };
  await settlePorts(env);
  env.SECRETS_KEY ||= secretsKey(dataDir);
  // Compiled code of the applications' many modules is kept: they start in half the time.
  env.NODE_COMPILE_CACHE ||= path.join(dataDir, 'compile-cache');
  // No load balancer stands in front of it.
  env.SHUTDOWN_DELAY_MS ||= '0';
  const isOurs = !env.DATABASE_URL;
  const [browser, fonts] = await Promise.all([
    findBrowser({ dataDir, env }),
    provideFonts({ dataDir, env }),
    requireRedis(env),
    Promise.all([provideDatabase({ env, dataDir, shutdown }), buildAloud()]).then(async ([url]) => {
      env.DATABASE_URL = url;
      const key = await prepareDatabase({ env, dataDir, isOurs });
      if (key !== undefined) saveApiKey(dataDir, key);
    }),
  ]);
  Object.assign(env, browser, fonts);
  if (browser.CHROMIUM_SANDBOX === 'off') warnOfNoSandbox();
  return { env, dataDir, lock };
}

async function buildAloud() {
  if (await build()) say('built');
}

function startApps({ env, lock, shutdown, graceMs }) {
  const apps = APPS.map((name) => startApp(name, env, lock.note));
  // Together: the API still answers callers whose captures the worker finishes.
  shutdown.add(() => Promise.all(apps.map((app) => app.stop(graceMs, shutdown.hurry))));
  return apps;
}

function warnOfNoSandbox() {
  say(
    'the browser runs WITHOUT its sandbox: this machine allows none (no user namespaces), or CHROMIUM_SANDBOX=off.',
  );
  say(
    'A page that breaks out of the browser has the rights of this user: capture only pages that you trust.',
  );
}
