import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { freePort } from './addresses.mjs';
import { buildStamp } from './build.mjs';
import { apiKeyFile, writeWhole } from './data-folder.mjs';
import { startPostgres } from './postgres.mjs';
import { runTask } from './tasks.mjs';

/** @import { Variables } from './addresses.mjs' */
/** @import { Shutdown } from './shutdown.mjs' */

const PREFERRED_PORT = 57_432;

/**
 * The URL of the database: DATABASE_URL, else that of a PostgreSQL that this starts in the data folder.
 *
 * @param {{ env: Variables, dataDir: string, shutdown: Pick<Shutdown, 'add'> }} options
 */
export async function provideDatabase({ env, dataDir, shutdown }) {
  if (env.DATABASE_URL) return env.DATABASE_URL;
  const { url } = await startPostgres({
    dir: path.join(dataDir, 'postgres'),
    port: () => freePort(PREFERRED_PORT),
    onSpawn: ({ stop }) => shutdown.add(stop),
  });
  return url;
}

/**
 * Brings the schema up to date and makes a first account, whose key it saves in the data folder: the key cannot be read
 * from the database later. A database in the data folder is skipped when the same build has prepared it before.
 *
 * @param {{ env: Variables, dataDir: string, isOurs: boolean }} options
 */
export async function prepareDatabase({ env, dataDir, isOurs }) {
  const stamp = path.join(dataDir, 'prepared');
  const state = isOurs ? stateOf(dataDir) : undefined;
  if (state !== undefined && existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return;
  const key = await runTask('prepare-database', { env });
  if (key !== '') writeWhole(apiKeyFile(dataDir), `${key}\n`);
  if (state !== undefined) writeWhole(stamp, state);
}

/**
 * The build, and the moment at which the data was made.
 *
 * @param {string} dataDir
 */
function stateOf(dataDir) {
  const { mtimeMs, ino } = statSync(path.join(dataDir, 'postgres/PG_VERSION'));
  return `${buildStamp()} ${ino} ${mtimeMs}`;
}
