// node prune-packages.mjs node_modules: removes from the packages of the image what no process of it loads, and prints how much.
// Licences stay.
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Which node_modules?');

/** Folders of packages: sources and builds beside the one that Node loads. */
const UNUSED = [
  ...['typeorm/browser', 'rxjs/src', 'puppeteer-core/src', '@duckduckgo/autoconsent/tests'],
  ...['libphonenumber-js/bundle', '.package-lock.json', '.bin'],
];

/** What only editors, debuggers and people read. Node runs no TypeScript below node_modules. */
const UNREAD = /\.(map|ts|mts|cts|tsx|flow|md|markdown)$/i;
const LEGAL = /^(licen[cs]e|notice|copying|copyright|authors|patents)/i;

const before = sizeOf(folder);
for (const name of [...strangers(), ...UNUSED])
  rmSync(path.join(folder, name), { recursive: true, force: true });
for (const file of filesIn(folder)) {
  const name = path.basename(file);
  if (UNREAD.test(name) && !LEGAL.test(name)) rmSync(file);
}
process.stdout.write(`node_modules: ${before} MB, of which ${sizeOf(folder)} MB stay\n`);

/**
 * The packages that no dependency of the service leads to. npm installs them without `--omit` where a development dependency
 * and the launcher or the console need them, or where they are optional peers.
 */
function strangers() {
  const { packages } = JSON.parse(readFileSync(path.join(folder, '.package-lock.json'), 'utf8'));
  const manifest = JSON.parse(readFileSync(path.join(folder, '../package.json'), 'utf8'));
  const needed = new Set();
  const visit = (from, { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }) => {
    const peers = Object.keys(peerDependencies ?? {}).filter(
      (name) => !peerDependenciesMeta?.[name]?.optional,
    );
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      const found = resolve(packages, from, name);
      if (found === undefined || needed.has(found)) continue;
      needed.add(found);
      visit(found, packages[found]);
    }
  };
  visit('', manifest);
  return Object.keys(packages)
    .filter((place) => !needed.has(place))
    .map((place) => path.relative('node_modules', place));
}

/** Finds a package as Node does: below the one that asks for it, else further up. */
function resolve(packages, from, name) {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf('/node_modules/')))) {
    const candidate = `${place === '' ? '' : `${place}/`}node_modules/${name}`;
    if (packages[candidate] !== undefined) return candidate;
    if (place === '') return undefined;
  }
}

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
