import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../../apps/launcher/src/addresses.mjs';
import { build } from '../../apps/launcher/src/build.mjs';
import { dataFolder, root } from '../../apps/launcher/src/data-folder.mjs';
import { provideBrowser } from '../../apps/launcher/src/drawing.mjs';
import { say, StartError } from '../../apps/launcher/src/output.mjs';
import { startPostgres } from '../../apps/launcher/src/postgres.mjs';
import { beginningOf, run, tied } from '../../apps/launcher/src/processes.mjs';
import { startRedis } from '../../apps/launcher/src/redis.mjs';
import { postgresOfTests } from '../../apps/launcher/src/debian-postgres.mjs';
import { scratchFolder } from './scratch.mjs';

const PREFIX = 'capture-test-';

/**
 * Starts what tests of the whole need: a PostgreSQL whose database `capture` has our schema and is the template that each
 * spec clones, a Redis where the machine has one, a browser, the built applications. Sets the variables by which
 * test/support finds them. `stop` removes everything; so does the end of this process for whatever reason. With `durable`
 * PostgreSQL syncs as in production, for measuring.
 */
export async function startServices({ durable = false } = {}) {
  removeLeftovers();
  const parent = durable ? os.tmpdir() : scratchFolder();
  const folder = mkdtempSync(path.join(parent, `${PREFIX}${process.pid}-`));
  const running = [];
  const stop = async () => {
    await Promise.all(running.splice(0).map((service) => service.stop()));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const built = build().then(() => {});
    await Promise.all([
      provideTemplate({ folder, running, durable, built }),
      provideRedis(folder, running),
      findOrFetchBrowser(built),
    ]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

async function provideTemplate({ folder, running, durable, built }) {
  const dir = path.join(folder, 'postgres');
  const onSpawn = (service) => running.push(service);
  const programs = await postgresOfTests();
  const starting = startPostgres({ dir, port: freePort, programs, durable, onSpawn });
  const [{ url }] = await Promise.all([starting, built]);
  const migrated = await run(tied(process.execPath, [path.join(root, 'scripts/migrate.mjs')]), {
    env: { ...process.env, DATABASE_URL: url },
  });
  if (migrated.code !== 0) throw new StartError(`The schema could not be made.\n${migrated.stderr}`);
  process.env.TEST_DATABASE_URL = url;
}

async function provideRedis(folder, running) {
  const dir = path.join(folder, 'redis');
  const onSpawn = (service) => running.push(service);
  const toolsDir = path.join(dataFolder(), 'tools');
  const redis = await startRedis({ dir, port: await freePort(), toolsDir, onSpawn });
  if (redis) process.env.TEST_REDIS_URL = redis.url;
  else say('no Redis on this machine: the tests that need one are SKIPPED (apt install redis-server)');
}

async function findOrFetchBrowser(built) {
  const dataDir = dataFolder();
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const { variables, failure } = await provideBrowser({ dataDir, built });
  Object.assign(process.env, variables);
  // Specs that need the fonts are skipped with this reason.
  if (failure) process.env.TEST_WITHOUT_FONTS = failure;
}

/** Removes the folders of runs that were killed; their services ended with them. */
function removeLeftovers() {
  for (const folder of new Set([os.tmpdir(), scratchFolder()]))
    for (const name of readdirSync(folder)) {
      const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? [];
      if (pid && beginningOf(Number(pid)) === undefined)
        rmSync(path.join(folder, name), { recursive: true, force: true });
    }
}
