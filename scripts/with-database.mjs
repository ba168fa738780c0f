// node scripts/with-database.mjs script.js [arguments]: runs a built script on the database of DATABASE_URL, else on the
// one that `npm start` runs now, and
// with the key of its secrets.
import path from 'node:path';
import { build } from './launcher/build.mjs';
import { handOver } from './launcher/node24.mjs';
import { report, StartError } from './launcher/output.mjs';
import { dataFolder, loadDotEnv, root } from './launcher/paths.mjs';
import { runningUrl } from './launcher/postgres.mjs';
import { knownSecretsKey } from './launcher/secrets.mjs';

try {
  loadDotEnv();
  process.env.DATABASE_URL ||= runningUrl(path.join(dataFolder(), 'postgres')) ?? '';
  if (!process.env.DATABASE_URL) {
    throw new StartError(
      'No database to work on. Run `npm start` in another terminal first, or set DATABASE_URL.',
    );
  }
  process.env.DATA_DIR = dataFolder();
  process.env.SECRETS_KEY ||= knownSecretsKey(dataFolder()) ?? '';
  await build();
  const [script, ...rest] = process.argv.slice(2);
  await handOver(['--enable-source-maps', path.join(root, script), ...rest]);
} catch (error) {
  report(error);
  process.exit(1);
}
