// `npm run migrate`: brings the schema of DATABASE_URL up to date. Safe to run by several machines at once.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { build } from './launcher/build.mjs';
import { handOver, isNode24 } from './launcher/node24.mjs';
import { report, say, StartError } from './launcher/output.mjs';
import { loadDotEnv, root } from './launcher/paths.mjs';

const built = path.join(root, 'dist/libs/database/src/index.js');

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
  if (!existsSync(built)) await build();
  const { migrate } = await import(built);
  const names = await migrate(url);
  say(names.length === 0 ? 'the schema is up to date' : `ran ${names.join(', ')}`);
}
