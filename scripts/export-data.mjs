// `npm run export`: copies the data of `npm start` to a database of one's own. It starts the database of the data folder for as
// long as that takes; with DATABASE_URL it copies that database.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../apps/launcher/src/addresses.mjs';
import { build } from '../apps/launcher/src/build.mjs';
import { dataFolder, loadDotEnv, root } from '../apps/launcher/src/data-folder.mjs';
import { takeLock } from '../apps/launcher/src/lock.mjs';
import { report, StartError } from '../apps/launcher/src/output.mjs';
import { startPostgres } from '../apps/launcher/src/postgres.mjs';
import { handOver, SOURCE_MAPS } from '../apps/launcher/src/runtime.mjs';

const ANY_PORT = 58_432;

/** What is ended afterwards, last first. */
const closers = [];

try {
  loadDotEnv();
  process.env.DATA_DIR = dataFolder();
  await build();
  // What is wrong with the arguments is said by the script.
  const needsSource = process.argv.includes('--to') && !process.env.DATABASE_URL;
  if (needsSource) process.env.DATABASE_URL = await startSource(process.env.DATA_DIR);
  await handOver([...SOURCE_MAPS, path.join(root, 'dist/scripts/export.js'), ...process.argv.slice(2)]);
} catch (error) {
  report(error);
  process.exitCode = 1;
} finally {
  for (const close of closers.reverse()) await close();
}

/** Starts the database of a data folder that no `npm start` uses; returns its URL. */
async function startSource(dataDir) {
  const dir = path.join(dataDir, 'postgres');
  if (!existsSync(path.join(dir, 'PG_VERSION'))) {
    throw new StartError(
      `There is no database in ${dataDir}. Set DATA_DIR, or DATABASE_URL to another source.`,
    );
  }
  const lock = await takeLock(dataDir);
  closers.push(lock.release);
  const { url } = await startPostgres({
    dir,
    port: () => freePort(ANY_PORT),
    onSpawn: ({ pid, stop }) => {
      lock.record(pid);
      closers.push(stop);
    },
  });
  return url;
}
