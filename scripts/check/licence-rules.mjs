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
  'MPL-2.0',
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
 * package.json.
 */
export function productionPackages({ packages }, manifestOf) {
  return Object.entries(packages)
    .filter(([folder, { dev }]) => folder !== '' && !dev)
    .map(([folder, { license }]) => ({
      name: folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length),
      licence: license ?? statedBefore2014(manifestOf(folder)),
    }));
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
