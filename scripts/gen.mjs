/**
 * Writes every file that is derived from the code, so that each fact is stated once. `--check` writes nothing, shows
 * what differs and fails: a changed option, error, variable, route or migration shows in the diff of a review.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { difference } from './gen/difference.mjs';
import { build } from '../apps/launcher/src/build.mjs';
import { handOver, isNode24 } from '../apps/launcher/src/runtime.mjs';
import { root } from '../apps/launcher/src/data-folder.mjs';

const settle = process.argv.includes('--check') ? compare : write;

if (isNode24()) await generate();
else await handOver([fileURLToPath(import.meta.url), ...process.argv.slice(2)]);

async function generate() {
  const { renderSources, renderDocuments } = await import('./gen/documents.mjs');
  const sources = settle(renderSources());
  await build();
  const stale = [...sources, ...settle(await renderDocuments())];
  if (settle === write) {
    console.log(stale.length === 0 ? 'nothing changed' : `wrote ${stale.join(', ')}`);
  } else if (stale.length > 0) {
    console.error(`Not as the code says: ${stale.join(', ')}. Run \`npm run gen\`.`);
    process.exitCode = 1;
  }
}

/** Each of these two gives the files that are not as they should be, or were not. */
function compare(files) {
  const stale = staleOf(files);
  for (const [file, text] of stale) console.error(difference(file, text));
  return stale.map(([file]) => file);
}

function write(files) {
  const stale = staleOf(files);
  for (const [file, text] of stale) {
    const target = path.join(root, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  return stale.map(([file]) => file);
}

function staleOf(files) {
  return Object.entries(files).filter(([file, text]) => {
    const target = path.join(root, file);
    return !existsSync(target) || readFileSync(target, 'utf8') !== text;
  });
}
