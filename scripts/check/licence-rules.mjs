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
  return packages.filter(({ licence }) => !licence || !isPermitted(licence));
}

function statedBefore2014({ licenses }) {
  return licenses?.map(({ type }) => type).join(' AND ');
}

/** Evaluates an SPDX expression: one side of an OR suffices, an AND needs all. Parentheses may enclose the whole only. */
function isPermitted(expression) {
  const inner = /^\(([^()]*)\)$/.exec(expression)?.[1] ?? expression;
  return inner
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((licence) => PERMITTED.has(licence.trim())));
}
