const TEST = '\\.(spec|int-spec|e2e-spec|conformance)\\.(ts|mjs)$';

const error = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

/** What each folder of a part may use of that part: a rule for each of them. */
const inLevels = ({ of, source, uses, rule, why }) =>
  Object.entries(uses).map(([name, used]) =>
    error(
      rule(name),
      used.length === 0
        ? `${name} of ${of} uses no other folder of it.`
        : `${name} of ${of} may use ${used.join(', ')}: ${why}`,
      { path: `${source}${name}/`, pathNot: TEST },
      { path: source, pathNot: `${source}(${[name, ...used].join('|')})/` },
    ),
  );

/** The folders of a library or an application. What stands beside them, such as index.ts or main.ts, is above all of them. */
const levelsOf = (part, uses, why = 'what it reached up to would have to be understood with it.') => {
  const source = `^${part}/src/`;
  const name = part.split('/').at(-1);
  return [
    ...inLevels({ of: part, source, uses, rule: (folder) => `${name}-${folder}-looks-down`, why }),
    error(
      `${name}-known-folders`,
      'A folder without a row in scripts/check/directions.cjs would have no direction.',
      { path: `${source}[^/]+/`, pathNot: `${source}(${Object.keys(uses).join('|')})/` },
      {},
    ),
  ];
};

module.exports = { error, inLevels, levelsOf, TEST };
