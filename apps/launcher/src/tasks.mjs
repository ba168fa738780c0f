// Tasks that the launcher runs in a process of their own: they load modules that it would otherwise keep in memory for as
// long as the service runs. `node apps/launcher/src/tasks.mjs <name>` runs one of them and prints its result.
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { provideChromium } from './chromium-archives.mjs';
import { root } from './data-folder.mjs';
import { StartError } from './output.mjs';
import { codeOf, run, tied } from './processes.mjs';
import { provideRuleSets } from './rule-sets.mjs';
import { node24, SOURCE_MAPS } from './runtime.mjs';
import { lettersOf, WRITING_SYSTEMS } from './writing-systems.mjs';

/** @import { Variables } from './addresses.mjs' */

const FILE = fileURLToPath(import.meta.url);
/** The exit code of a task whose stderr explains its failure in full. */
const EXPLAINED = 3;
const REDIS_TIMEOUT_MS = 5_000;

/** @type {Record<TaskName, () => Promise<string | void>>} */
const TASKS = {
  'prepare-database': prepareDatabase,
  'try-browser': tryBrowser,
  'draw-words': drawWords,
  'check-redis': checkRedis,
  'fetch-chromium': fetchChromium,
  'fetch-rule-sets': provideRuleSets,
};

/** @typedef {'prepare-database' | 'try-browser' | 'draw-words' | 'check-redis' | 'fetch-chromium' | 'fetch-rule-sets'} TaskName */

/**
 * Runs a task in a process of its own. Resolves to what it printed.
 *
 * @param {TaskName} name
 * @param {{ env: Variables }} options
 * @throws StartError with the reason when the task fails
 */
export async function runTask(name, { env }) {
  const { code, stdout, stderr } = await run(tied(node24(), [...SOURCE_MAPS, FILE, name]), {
    env,
  });
  if (code === 0) return stdout.trim();
  throw new StartError(code === EXPLAINED ? stderr.trim() : `${name} failed.\n${stderr.trim()}`);
}

/** Brings the schema of DATABASE_URL up to date. Resolves to the first API key when it makes one. */
async function prepareDatabase() {
  /** @type {typeof import('@app/config')} */
  const { loadEnv } = await importBuilt('libs/config/src/index.js');
  /** @type {typeof import('@app/database')} */
  const { migrate } = await importBuilt('libs/database/src/index.js');
  /** @type {typeof import('../../../scripts/keys.js')} */
  const { ensureFirstKey } = await importBuilt('scripts/keys.js');
  return explained(async () => {
    const { DATABASE_URL: databaseUrl = '' } = loadEnv({ DATABASE_URL: process.env.DATABASE_URL });
    await migrate(databaseUrl);
    return ensureFirstKey({ databaseUrl });
  });
}

/** Starts the browser of the environment as the worker would, and ends it. */
async function tryBrowser() {
  /** @type {typeof import('../../../libs/browser/src/process/try-browser.js')} */
  const browser = await importBuilt('libs/browser/src/process/try-browser.js');
  return explained(async () => browser.tryBrowser(await browserEnv()));
}

/** Draws words of all writing systems in the browser of the environment. Resolves to the names of those that are boxes. */
async function drawWords() {
  /** @type {typeof import('../../../libs/browser/src/process/try-words.js')} */
  const browser = await importBuilt('libs/browser/src/process/try-words.js');
  const words = WRITING_SYSTEMS.map((system) => ({ ...system, letters: lettersOf(system) }));
  return explained(async () => JSON.stringify(await browser.tryWords(await browserEnv(), words)));
}

/** The settings of the browser, without those that only the whole service has. */
async function browserEnv() {
  /** @type {typeof import('@app/config')} */
  const { loadEnv } = await importBuilt('libs/config/src/index.js');
  const names = [
    'PUPPETEER_EXECUTABLE_PATH',
    'BROWSER_LIBRARY_PATH',
    'BROWSER_FONTCONFIG_FILE',
    'CHROMIUM_SANDBOX',
    'DATA_DIR',
  ];
  return loadEnv(Object.fromEntries(names.map((name) => [name, process.env[name]])));
}

/** Connects to the Redis of REDIS_URL once. */
async function checkRedis() {
  const { Redis } = await import('ioredis');
  const redis = new Redis(process.env.REDIS_URL ?? '', {
    lazyConnect: true,
    connectTimeout: REDIS_TIMEOUT_MS,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  });
  // A connection that fails rejects with "Connection is closed."; the event has the reason.
  /** @type {unknown} */
  let cause;
  redis.on('error', (error) => (cause = error));
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    const reason = cause ?? error;
    const text = reason instanceof Error ? reason.message || codeOf(reason) : reason;
    throw new StartError(`The Redis of REDIS_URL cannot be used: ${text}`);
  } finally {
    redis.disconnect();
  }
}

/** Fetches the Chromium of npm into the folder CHROMIUM_FOLDER. */
async function fetchChromium() {
  await provideChromium(process.env.CHROMIUM_FOLDER ?? '');
}

/**
 * Imports a module of the build.
 *
 * @param {string} file
 */
export const importBuilt = (file) => import(pathToFileURL(path.join(root, 'dist', file)).href);

/**
 * Runs built code whose StartupError explains a failure in full.
 *
 * @template T
 * @param {() => Promise<T>} work
 * @throws StartError in place of a StartupError
 */
export async function explained(work) {
  /** @type {typeof import('@app/kernel')} */
  const { StartupError } = await importBuilt('libs/kernel/src/index.js');
  try {
    return await work();
  } catch (error) {
    throw error instanceof StartupError ? new StartError(error.message, { cause: error }) : error;
  }
}

/** @param {string} name */
async function main(name) {
  try {
    if (!isTask(name)) throw new StartError(`There is no task ${name}: ${Object.keys(TASKS).join(', ')}`);
    process.stdout.write((await TASKS[name]()) || '');
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(error.message);
    process.exitCode = EXPLAINED;
  }
}

/**
 * @param {string} name
 * @returns {name is TaskName}
 */
function isTask(name) {
  return name in TASKS;
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === FILE)
  await main(process.argv[2] ?? '');
