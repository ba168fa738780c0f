/**
 * `npm run gen`: writes every file that is derived from the code, so that each fact is stated once. With `--check` it writes
 * nothing, prints the difference and fails: a review sees each changed option, error, variable, route and migration.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from '../apps/launcher/src/build.mjs';
import { root } from '../apps/launcher/src/data-folder.mjs';
import { provide } from '../apps/launcher/src/packages.mjs';
import { handOver, isNode24 } from '../apps/launcher/src/runtime.mjs';

const CONTEXT_LINES = 2;

const settle = process.argv.includes('--check') ? compare : write;

await provide('everything');
if (isNode24()) await generate();
else await handOver([fileURLToPath(import.meta.url), ...process.argv.slice(2)]);

async function generate() {
  const { renderSources, renderDocuments } = await import('./gen/documents.mjs');
  const { renderClient } = await import('./gen/client.mjs');
  const sources = settle(renderSources());
  // The console contains the client, which may be out of date.
  await build({ withConsole: false });
  const documents = await renderDocuments();
  const clients = await renderClient(documents['docs/openapi.json']);
  const stale = [...sources, ...settle({ ...documents, ...clients })];
  if (settle === write) {
    console.log(stale.length === 0 ? 'nothing changed' : `wrote ${stale.join(', ')}`);
  } else if (stale.length > 0) {
    console.error(`Out of date: ${stale.join(', ')}. Run \`npm run gen\`.`);
    process.exitCode = 1;
  }
}

/** Prints how the files differ from what the code says; returns those that do. */
function compare(files) {
  const stale = staleOf(files);
  for (const [file, text] of stale) console.error(difference(file, text));
  return stale.map(([file]) => file);
}

/** Writes the files that differ from what the code says; returns them. */
function write(files) {
  const stale = staleOf(files);
  for (const [file, text] of stale) {
    const target = path.join(root, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  return stale.map(([file]) => file);
}

/** The change of a file of the repository as a unified diff; without git only that there is one. */
function difference(file, text) {
  const old = existsSync(path.join(root, file)) ? file : '/dev/null';
  const args = ['diff', '--no-index', `--unified=${CONTEXT_LINES}`, '--no-color', '--', old, '-'];
  // `git diff --no-index` ends with 1 when the files differ.
  const { status, stdout } = spawnSync('git', args, { cwd: root, input: text, encoding: 'utf8' });
  return status === 1 ? stdout : `${file} would change`;
}

function staleOf(files) {
  return Object.entries(files).filter(([file, text]) => {
    const target = path.join(root, file);
    return !existsSync(target) || readFileSync(target, 'utf8') !== text;
  });
}
