import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildStamp } from './build.mjs';
import { writeWhole } from './files.mjs';
import { EXPLAINED, StartError } from './output.mjs';
import { freePort } from './ports.mjs';
import { startPostgres } from './postgres.mjs';
import { run, tied } from './processes.mjs';

const PORT = 57_432;
const PREPARE = fileURLToPath(new URL('prepare-database.mjs', import.meta.url));

/** The URL of the database: the one that is set, else that of a PostgreSQL which this starts in the data folder. */
export async function provideDatabase({ env, dataDir, shutdown }) {
  if (env.DATABASE_URL) return env.DATABASE_URL;
  const { url } = await startPostgres({
    dir: path.join(dataDir, 'postgres'),
    port: await freePort(PORT),
    onSpawn: ({ stop }) => shutdown.add(stop),
  });
  return url;
}

/**
 * Brings the schema up to date and sees to a first account. Returns the text of its key when it was made now: it cannot
 * be had a second time. In a process of its own: the launcher stays small for all the time that it then waits.
 *
 * Our own database was prepared when the build that did it is still the same; then nothing is left to do.
 */
export async function prepareDatabase({ env, dataDir, isOurs }) {
  const stamp = path.join(dataDir, 'prepared');
  const state = isOurs ? stateOf(dataDir) : undefined;
  if (state !== undefined && existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return undefined;
  const done = await run(tied(process.execPath, ['--enable-source-maps', PREPARE]), { env });
  if (done.code === EXPLAINED) throw new StartError(done.stderr.trim());
  if (done.code !== 0) throw new StartError(`The database could not be prepared.\n${done.stderr.trim()}`);
  if (state !== undefined) writeWhole(stamp, state);
  return done.stdout.trim() || undefined;
}

// The build, and the folder of data by the moment it was made.
function stateOf(dataDir) {
  const { mtimeMs, ino } = statSync(path.join(dataDir, 'postgres/PG_VERSION'));
  return `${buildStamp()} ${ino} ${mtimeMs}`;
}
