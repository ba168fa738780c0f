// node scripts/with-database.mjs script.js [arguments]: runs a built script on the database of DATABASE_URL, else on the
// database and with the secrets key of the `npm start` that runs now.
import path from 'node:path';
import { build } from '../apps/launcher/src/build.mjs';
import { dataFolder, loadDotEnv, root, savedSecretsKey } from '../apps/launcher/src/data-folder.mjs';
import { report, StartError } from '../apps/launcher/src/output.mjs';
import { runningUrl } from '../apps/launcher/src/postgres.mjs';
import { handOver, SOURCE_MAPS } from '../apps/launcher/src/runtime.mjs';

try {
  loadDotEnv();
  process.env.DATABASE_URL ||= runningUrl(path.join(dataFolder(), 'postgres')) ?? '';
  if (!process.env.DATABASE_URL) {
    throw new StartError('No database is running. Run `npm start` in another terminal, or set DATABASE_URL.');
  }
  process.env.DATA_DIR = dataFolder();
  process.env.SECRETS_KEY ||= savedSecretsKey(dataFolder()) ?? '';
  await build();
  const [script, ...rest] = process.argv.slice(2);
  await handOver([...SOURCE_MAPS, path.join(root, script), ...rest]);
} catch (error) {
  report(error);
  process.exit(1);
}
