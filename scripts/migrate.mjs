// `npm run migrate`: brings the schema of DATABASE_URL up to date. Safe to run by several machines at once.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { build } from './launcher/build.mjs';
import { handOver, isNode24 } from './launcher/node24.mjs';
import { report, say, StartError } from './launcher/output.mjs';
import { loadDotEnv, root } from './launcher/paths.mjs';

const built = (library) => path.join(root, 'dist/libs', library, 'src/index.js');

try {
  loadDotEnv();
  if (!isNode24()) await handOver(process.argv.slice(1));
  else await migrateDatabase(process.env.DATABASE_URL);
} catch (error) {
  report(error);
  process.exit(1);
}

async function migrateDatabase(url) {
  if (!url) throw new StartError('Set DATABASE_URL to the database to bring up to date.');
  if (!existsSync(built('database'))) await build();
  const [{ loadEnv }, { migrate }, { StartupError }] = await Promise.all(
    ['config', 'database', 'kernel'].map((library) => import(built(library))),
  );
  try {
    const names = await migrate(loadEnv({ DATABASE_URL: url }).DATABASE_URL);
    say(names.length === 0 ? 'the schema is up to date' : `ran ${names.join(', ')}`);
  } catch (error) {
    throw error instanceof StartupError ? new StartError(error.message) : error;
  }
}
