import path from 'node:path';
import { APPS, settlePorts, urlOf } from './addresses.mjs';
import { startApp, untilReady } from './apps.mjs';
import { beginBuild, bundleApps } from './build.mjs';
import { dataFolder, secretsKey } from './data-folder.mjs';
import { prepareDatabase, provideDatabase } from './database.mjs';
import { provideBrowser } from './drawing.mjs';
import { takeLock } from './lock.mjs';
import { report, say } from './output.mjs';
import { requireRedis } from './redis.mjs';
import { createShutdown } from './shutdown.mjs';
import { welcome } from './welcome.mjs';

/** @import { Variables } from './addresses.mjs' */
/** @import { Shutdown } from './shutdown.mjs' */

const DEFAULT_GRACE_MS = 45_000;
/** What an application may take beyond the grace that it gives to its captures. */
const APP_SPARE_MS = 5_000;
/** What the database may take after the applications. */
const DATABASE_MS = 25_000;

/** All of `npm start` once the packages are installed: brings the service up and keeps it up until a signal ends it. */
export async function runService() {
  const graceMs = Number(process.env.SHUTDOWN_GRACE_MS || DEFAULT_GRACE_MS) + APP_SPARE_MS;
  const shutdown = createShutdown({ limitMs: graceMs + DATABASE_MS });
  try {
    const { env, dataDir, lock } = await prepare(shutdown);
    if (shutdown.isStopping()) return;
    const apps = APPS.map((name) => startApp(name, env, lock.record));
    // Both at once: the API still answers callers whose captures the worker finishes.
    shutdown.add(() => Promise.all(apps.map((app) => app.stop(graceMs, shutdown.hurry))));
    await Promise.all(apps.map((app) => untilReady(app, `${urlOf(app.name, env)}/readyz`, { env })));
    await welcome({ env, dataDir });
    await Promise.all(apps.map((app) => app.keepRunning()));
  } catch (error) {
    if (!shutdown.isStopping()) report(error);
    await shutdown.stop(1);
  }
}

/**
 * Locks the data folder, and provides everything that the applications need: their environment.
 *
 * @param {Shutdown} shutdown
 */
async function prepare(shutdown) {
  const dataDir = dataFolder();
  const lock = await takeLock(dataDir);
  shutdown.add(lock.release);
  /** @type {Variables} */
  const env = { LOG_FORMAT: 'pretty', ...process.env, DATA_DIR: dataDir };
  // A port that is taken is said before anything is built.
  const said = await settlePorts({ ...env });
  env.SECRETS_KEY ||= secretsKey(dataDir);
  // Node keeps the compiled code of the applications' many modules, which saves a fifth of their start.
  env.NODE_COMPILE_CACHE ||= path.join(dataDir, 'compile-cache');
  // Captures do not come second to the other programs of a laptop.
  env.BROWSER_NICENESS ||= '0';
  // No load balancer stands in front of the API.
  env.SHUTDOWN_DELAY_MS ||= '0';
  const { compiled, built } = beginBuild();
  const isOurs = !env.DATABASE_URL;
  const [{ variables }] = await Promise.all([
    provideBrowser({ dataDir, env, built: compiled }),
    requireRedis(env),
    built.then((isNew) => void (isNew && say('built'))),
    compiled.then(bundleApps),
    Promise.all([provideDatabase({ env, dataDir, shutdown }), compiled]).then(async ([url]) => {
      env.DATABASE_URL = url;
      await prepareDatabase({ env, dataDir, isOurs });
    }),
  ]);
  Object.assign(env, variables);
  if (variables.CHROMIUM_SANDBOX === 'off') warnOfNoSandbox();
  // Another program may have taken one meanwhile, and its answers would look like those of the service.
  await settlePorts(env, said);
  return { env, dataDir, lock };
}

function warnOfNoSandbox() {
  say(
    'the browser runs WITHOUT its sandbox: this machine allows none (no user namespaces), or CHROMIUM_SANDBOX=off.',
  );
  say(
    'A page that breaks out of the browser has the rights of this user: capture only pages that you trust.',
  );
}
