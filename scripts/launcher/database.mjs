import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartError } from './output.mjs';
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
 */
export async function prepareDatabase(env) {
  const done = await run(tied(process.execPath, ['--enable-source-maps', PREPARE]), { env });
  if (done.code !== 0) throw new StartError(`The database could not be prepared.\n${done.stderr.trim()}`);
  return done.stdout.trim() || undefined;
}
