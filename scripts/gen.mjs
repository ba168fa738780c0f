/**
 * Writes every file that is derived from the code, so that each fact is stated once. `--check` writes nothing, shows
 * what differs and fails: a changed option, error, variable, route or migration shows in the diff of a review.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { difference } from './gen/difference.mjs';
import { build } from './launcher/build.mjs';
import { handOver, isNode24 } from './launcher/node24.mjs';
import { root } from './launcher/paths.mjs';

const check = process.argv.includes('--check');

if (isNode24()) await generate();
else await handOver([fileURLToPath(import.meta.url), ...process.argv.slice(2)]);

async function generate() {
  await build();
  const { renderAll } = await import('./gen/documents.mjs');
  const stale = Object.entries(await renderAll()).filter(([file, text]) => textOf(file) !== text);
  const names = stale.map(([file]) => file).join(', ');
  if (!check) {
    for (const [file, text] of stale) write(file, text);
    console.log(stale.length === 0 ? 'nothing changed' : `wrote ${names}`);
  } else if (stale.length > 0) {
    for (const [file, text] of stale) console.error(difference(file, text));
    console.error(`Not as the code says: ${names}. Run \`npm run gen\`.`);
    process.exitCode = 1;
  }
}

function textOf(file) {
  const target = path.join(root, file);
  return existsSync(target) ? readFileSync(target, 'utf8') : undefined;
}

function write(file, text) {
  const target = path.join(root, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text);
}
