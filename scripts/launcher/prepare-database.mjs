// Run by database.mjs in a process of its own; prints the first key when it makes one.
import { migrate } from '../../dist/libs/database/src/index.js';
import { ensureFirstKey } from '../../dist/scripts/keys.js';

const { DATABASE_URL: databaseUrl, DATA_DIR: dataDir } = process.env;
await migrate(databaseUrl);
const key = await ensureFirstKey({ databaseUrl, dataDir });
if (key !== undefined) process.stdout.write(key);
