import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findBrowser } from '../../scripts/launcher/browser.mjs';
import { build } from '../../scripts/launcher/build.mjs';
import { provideFonts } from '../../scripts/launcher/fonts.mjs';
import { say, StartError } from '../../scripts/launcher/output.mjs';
import { dataFolder, root } from '../../scripts/launcher/paths.mjs';
import { freePort } from '../../scripts/launcher/ports.mjs';
import { startPostgres } from '../../scripts/launcher/postgres.mjs';
import { beginningOf, run, tied } from '../../scripts/launcher/processes.mjs';
import { startRedis } from '../../scripts/launcher/redis.mjs';

const PREFIX = 'capture-test-';

/**
 * What tests of the whole need: a PostgreSQL whose database `capture` has our schema and is the template that each test
 * file clones, a Redis where one can be had, a browser, the built applications. Sets the variables by which
 * test/support finds them. `stop` leaves nothing behind; so does the end of this process by whatever cause. `durable`:
 * PostgreSQL syncs as in production, for measuring.
 */
export async function startServices({ durable = false } = {}) {
  removeLeftovers();
  const folder = mkdtempSync(path.join(os.tmpdir(), `${PREFIX}${process.pid}-`));
  const running = [];
  const stop = async () => {
    await Promise.all(running.splice(0).map((service) => service.stop()));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all([
      provideTemplate({ folder, running, durable }),
      provideRedis(folder, running),
      provideBrowser(),
    ]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

async function provideTemplate({ folder, running, durable }) {
  const dir = path.join(folder, 'postgres');
  const onSpawn = (service) => running.push(service);
  const [{ url }] = await Promise.all([
    startPostgres({ dir, port: await freePort(), durable, onSpawn }),
    build(),
  ]);
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
  else
    say('no Redis on this machine and none to fetch: what needs one is SKIPPED (apt install redis-server)');
}

async function provideBrowser() {
  const dataDir = dataFolder();
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const [browser, fonts] = await Promise.all([findBrowser({ dataDir }), provideFonts({ dataDir })]);
  Object.assign(process.env, browser, fonts);
}

// Of runs that were killed; their services ended with them.
function removeLeftovers() {
  for (const name of readdirSync(os.tmpdir())) {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? [];
    if (pid && beginningOf(Number(pid)) === undefined) {
      rmSync(path.join(os.tmpdir(), name), { recursive: true, force: true });
    }
  }
}
