/**
 * SPDX identifiers of licences that only require their own text to be kept. MPL-2.0 requires besides that changes of its
 * own files are published: such packages are used as they are.
 */
const PERMITTED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  // Of fonts.
  'OFL-1.1',
  'Python-2.0',
  'Unlicense',
]);

/**
 * libvips stays a library of its own, which an operator can replace: that is what the LGPL asks for
 * (section 4).
 */
const LINKED = { names: /^@img\/sharp-/, licence: 'LGPL-3.0-or-later' };

/**
 * Returns the name and licence of every package that `npm ci --omit=dev` may install, including those of other platforms.
 * The lock file states the licence; for a package that states it in the form before 2014, `manifestOf` reads its
 * package.json. `bundled` are the folders of packages that reach operators in a bundle.
 */
export function productionPackages({ packages }, manifestOf, bundled = new Set()) {
  return (
    Object.entries(packages)
      // A link leads to a workspace, which has an entry of its own.
      .filter(([folder, { dev, link }]) => folder !== '' && !link && (!dev || bundled.has(folder)))
      .map(([folder, { license }]) => ({
        name: folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length),
        licence: license ?? statedBefore2014(manifestOf(folder)),
      }))
  );
}

/** The folders of these packages and of all that they depend on. Each stands at the top of node_modules. */
export function foldersWith(names, { packages }) {
  const folders = new Set();
  const add = (name) => {
    const folder = `node_modules/${name}`;
    if (folders.has(folder) || !packages[folder]) return;
    folders.add(folder);
    Object.keys(packages[folder].dependencies ?? {}).forEach(add);
  };
  names.forEach(add);
  return folders;
}

/** The names of the packages that a source imports: `@a/b` of `import '@a/b/c.css'`. */
export function packagesImported(source) {
  const imports = source.matchAll(/(?:from|import\(?)\s*'((?:@[\w.-]+\/)?[\w.-]+)(?:\/[^']*)?'/g);
  return [...imports].map(([, name]) => name).filter((name) => !name.startsWith('.'));
}

/** The packages whose licence is unknown or not permitted. */
export function refusedLicences(packages) {
  return packages.filter(({ name, licence }) => !licence || !isPermitted(licence, name));
}

function statedBefore2014({ licenses }) {
  return licenses?.map(({ type }) => type).join(' AND ');
}

/** Evaluates an SPDX expression: one side of an OR suffices, an AND needs all. Parentheses may enclose the whole only. */
function isPermitted(expression, name) {
  const isLinked = (licence) => LINKED.names.test(name) && licence === LINKED.licence;
  const inner = /^\(([^()]*)\)$/.exec(expression)?.[1] ?? expression;
  return inner
    .split(' OR ')
    .some((choice) =>
      choice.split(' AND ').every((part) => PERMITTED.has(part.trim()) || isLinked(part.trim())),
    );
}
