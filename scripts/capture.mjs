// `npm run capture -- …`: the command line, on the service that `npm start` runs here unless another one is set.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { addressOf, urlOf } from '../apps/launcher/src/addresses.mjs';
import { build } from '../apps/launcher/src/build.mjs';
import { apiKeyFile, dataFolder, loadDotEnv, root } from '../apps/launcher/src/data-folder.mjs';
import { report } from '../apps/launcher/src/output.mjs';
import { handOver, isNode24 } from '../apps/launcher/src/runtime.mjs';

const args = process.argv.slice(2);

try {
  loadDotEnv();
  if (!isNode24()) await handOver(process.argv.slice(1));
  else if (args[0] === 'keys') await runKeys();
  else await runCommandLine();
} catch (error) {
  report(error);
  process.exit(1);
}

/** Keys are in the database, which only an operator reaches. */
async function runKeys() {
  const script = [path.join(root, 'scripts/with-database.mjs'), 'dist/scripts/keys.js'];
  await handOver([...script, ...args.slice(1)]);
}

async function runCommandLine() {
  await build();
  const entry = path.join(root, 'dist/apps/cli/src/main.js');
  // npm changes to the folder of package.json; files are meant where the command was typed.
  if (process.env.npm_lifecycle_event === 'capture') process.chdir(process.env.INIT_CWD ?? '.');
  const keyFile = apiKeyFile(dataFolder());
  if (existsSync(keyFile) && addressOf('api', process.env).port !== 0) {
    process.env.CAPTURE_LOCAL_URL = urlOf('api', process.env);
    process.env.CAPTURE_LOCAL_KEY = readFileSync(keyFile, 'utf8').trim();
  }
  await import(pathToFileURL(entry).href);
}
