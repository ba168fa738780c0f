import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { addressOf, METRICS, urlOf } from './addresses.mjs';
import { apiKeyFile } from './data-folder.mjs';
import { say } from './output.mjs';

/** @import { Variables } from './addresses.mjs' */

/**
 * Prints the addresses of the service, a link that logs in to its console, and the command that takes the first picture.
 *
 * @param {{ env: Variables, dataDir: string }} options
 */
export async function welcome({ env, dataDir }) {
  const url = urlOf('api', env);
  const keyFile = apiKeyFile(dataDir);
  const consoleLine = env.CONSOLE === 'false' ? undefined : await consoleOf(url, keyFile);
  say(`ready in ${(performance.now() / 1_000).toFixed(1)} s`);
  say(`  API        ${url}`);
  if (consoleLine !== undefined) say(`  console    ${consoleLine}`);
  if (env.DOCS !== 'false') say(`  reference  ${url}/docs`);
  say(`  database   ${withoutPassword(env.DATABASE_URL)}`);
  say(`  queue      ${env.REDIS_URL ? withoutPassword(env.REDIS_URL) : 'in the database'}`);
  say(
    `  browser    ${env.PUPPETEER_EXECUTABLE_PATH}${env.CHROMIUM_SANDBOX === 'off' ? ' (no sandbox)' : ''}`,
  );
  const metrics = METRICS.filter((server) => addressOf(server, env).port !== 0);
  for (const server of metrics) say(`  metrics    ${urlOf(server, env)}/metrics`);
  if (!existsSync(keyFile)) {
    say(
      'This database has accounts already, and its first key is not here. Make another one: npm run keys -- create',
    );
    return;
  }
  say('Take a picture (in another terminal); Ctrl-C here stops everything:');
  process.stdout.write(`\n${firstCapture(url, relativeToCaller(keyFile))}\n\n`);
}

/**
 * The console with a link that logs in once, or its address if the first key is not here or is revoked.
 *
 * @param {string} url
 * @param {string} keyFile
 */
async function consoleOf(url, keyFile) {
  const address = `${url}/console  (log in with an API key)`;
  if (!existsSync(keyFile)) return address;
  const headers = { Authorization: `Bearer ${readFileSync(keyFile, 'utf8').trim()}` };
  const response = await fetch(`${url}/console/log-ins`, { method: 'POST', headers }).catch(() => undefined);
  if (response?.status !== 201) return address;
  /** @type {{ url: string }} */
  const link = await response.json();
  return `${link.url}  (logs in once, within 10 minutes)`;
}

/**
 * A command to paste. It is printed without a prefix, so that the whole line can be selected.
 *
 * @param {string} url
 * @param {string} keyFile
 */
export function firstCapture(url, keyFile) {
  const file = /^[\w./-]+$/.test(keyFile) ? keyFile : `'${keyFile.replaceAll("'", String.raw`'\''`)}'`;
  return [
    `curl --fail-with-body -sS ${url}/v1/capture -o capture.png`,
    `-H "Authorization: Bearer $(cat ${file})"`,
    `-H 'Content-Type: application/json' -d '{"url":"https://example.com"}'`,
  ].join(' ');
}

/**
 * The shortest path that is right in the folder where the person typed `npm start`.
 *
 * @param {string} file
 */
function relativeToCaller(file) {
  const relative = path.relative(process.env.INIT_CWD ?? process.cwd(), file);
  return relative.startsWith('..') ? file : relative;
}

/**
 * A connection URL that may be printed.
 *
 * @param {string | undefined} text
 */
export function withoutPassword(text = '') {
  const url = URL.parse(text);
  if (url === null) return '(set)';
  url.password = '';
  return url.href;
}
