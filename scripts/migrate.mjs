// `npm run migrate`: brings the schema of DATABASE_URL up to date. Several machines may run it at once.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { build } from '../apps/launcher/src/build.mjs';
import { loadDotEnv, root } from '../apps/launcher/src/data-folder.mjs';
import { report, say, StartError } from '../apps/launcher/src/output.mjs';
import { handOver, isNode24 } from '../apps/launcher/src/runtime.mjs';
import { explained, importBuilt } from '../apps/launcher/src/tasks.mjs';

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
  if (!existsSync(path.join(root, 'dist/libs/database/src/index.js'))) await build();
  const { loadEnv } = await importBuilt('libs/config/src/index.js');
  const { migrate } = await importBuilt('libs/database/src/index.js');
  const names = await explained(() => migrate(loadEnv({ DATABASE_URL: url }).DATABASE_URL));
  say(names.length === 0 ? 'the schema is up to date' : `ran ${names.join(', ')}`);
}
