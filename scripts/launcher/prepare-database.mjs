// Run by database.mjs in a process of its own; prints the first key when it makes one. Ends with EXPLAINED when what it
// prints on stderr is all that the operator needs.
import { loadEnv } from '../../dist/libs/config/src/index.js';
import { migrate } from '../../dist/libs/database/src/index.js';
import { StartupError } from '../../dist/libs/kernel/src/index.js';
import { ensureFirstKey } from '../../dist/scripts/keys.js';
import { EXPLAINED } from './output.mjs';

try {
  const { DATABASE_URL: databaseUrl } = loadEnv({ DATABASE_URL: process.env.DATABASE_URL });
  await migrate(databaseUrl);
  const key = await ensureFirstKey({ databaseUrl });
  if (key !== undefined) process.stdout.write(key);
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  process.stderr.write(error.message);
  process.exitCode = EXPLAINED;
}
