/** The lint rules, which `npm run check lint` runs. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'oxlint';
import { CODE, HOUSE_RULES, TESTS, TOOLS } from './scripts/check/house-rules.mjs';

/**
 * What React and its compiler expect of components. A list in virtual rows uses `useVirtualizer`, which `incompatible-library` would
 * report: the compiler leaves such a component as it is, which works.
 */
const REACT = [
  'rules-of-hooks',
  'exhaustive-deps',
  'use-memo',
  'void-use-memo',
  'refs',
  'globals',
  'immutability',
  'purity',
  'set-state-in-effect',
  'set-state-in-render',
  'static-components',
  'error-boundaries',
  'unsupported-syntax',
];

/** What types show; every one is seen to report its seed. */
export const TYPED = {
  // An unhandled rejection ends the process: await the promise, or handle its failure.
  'typescript/no-floating-promises': 'error',
  'typescript/no-misused-promises': 'error',
  'typescript/await-thenable': 'error',
  // When a state or code is added, every switch that decides on it must be reported; end it in `satisfies never`.
  'typescript/switch-exhaustiveness-check': [
    'error',
    { considerDefaultExhaustiveForUnions: false, requireDefaultForNonUnion: true },
  ],
  // Only an Error has a stack. The reason of an AbortSignal, which is any, may be passed on.
  'typescript/only-throw-error': ['error', { allowThrowingAny: true, allowThrowingUnknown: true }],
  'typescript/prefer-promise-reject-errors': [
    'error',
    { allowThrowingAny: true, allowThrowingUnknown: true },
  ],
  'typescript/no-unsafe-argument': 'error',
  'typescript/no-unsafe-assignment': 'error',
  'typescript/no-unsafe-call': 'error',
  'typescript/no-unsafe-member-access': 'error',
  'typescript/no-unsafe-return': 'error',
  'typescript/no-unsafe-unary-minus': 'error',
  'typescript/no-unnecessary-type-assertion': 'error',
  'typescript/no-redundant-type-constituents': 'error',
  'typescript/no-duplicate-type-constituents': 'error',
  'typescript/no-array-delete': 'error',
  'typescript/no-base-to-string': 'error',
  'typescript/no-for-in-array': 'error',
  'typescript/no-implied-eval': 'error',
  'typescript/restrict-plus-operands': 'error',
  'typescript/restrict-template-expressions': 'error',
  'typescript/unbound-method': 'error',
};

/** Rules that need no types, each with a seed. */
export const PLAIN = {
  // A reader would look for its use.
  'eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_', argsIgnorePattern: '^_' }],
  // A value import loads the module at run time; a type import does not.
  'typescript/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
  // A declaration with only inline types may be compiled to an import for side effects.
  'typescript/no-import-type-side-effects': 'error',
  // `any` disables type checking wherever it spreads: use `unknown` and narrow it.
  'typescript/no-explicit-any': 'error',
  // It hides a case that the compiler found: handle it, or throw an error that says what it means.
  'typescript/no-non-null-assertion': 'error',
  // It looks like a forgotten break.
  'eslint/no-fallthrough': 'error',
  // A block after a loop looks like its body.
  'eslint/no-lone-blocks': 'error',
  // A file has one reason to change: aim at 200 lines, and split by noun.
  'eslint/max-lines': ['error', 300],
  // A function must fit on a screen: extract and name its steps.
  'eslint/max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
  // Logs are JSON lines with request and job ids and without secrets: use the Nest Logger.
  'eslint/no-console': 'error',
};

/** What others recommend beyond the rules of the category `correctness`. */
const RECOMMENDED = [
  'eslint/no-case-declarations',
  'eslint/no-empty',
  'eslint/no-prototype-builtins',
  'eslint/no-regex-spaces',
  'eslint/no-unexpected-multiline',
  'eslint/no-useless-assignment',
  'eslint/no-var',
  'eslint/prefer-const',
  'eslint/prefer-rest-params',
  'eslint/prefer-spread',
  'eslint/preserve-caught-error',
  'typescript/ban-ts-comment',
  'typescript/no-empty-object-type',
  'typescript/no-namespace',
  'typescript/no-require-imports',
  'typescript/no-unnecessary-type-constraint',
  'typescript/no-unsafe-function-type',
];

/** Rules of `correctness` that contradict how this code is written. */
const REFUSED = [
  // Options are plain data; their classes only hold their rules.
  'typescript/no-misused-spread',
  // Texts are sorted by their code units.
  'typescript/require-array-sort-compare',
  // What comes from outside may lack what its type promises.
  'typescript/no-useless-default-assignment',
  // `void` says that a result is not used, whatever it is.
  'typescript/no-meaningless-void-operator',
  'react/incompatible-library',
];

/** Files whose classes Nest makes: it reads the classes of their parameters at run time, which the rule of imports does not see. */
const MADE_BY_NEST = [
  '**/*.{controller,factory,filter,guard,metrics,middleware,pipe,repository,service,task}.ts',
  'libs/filters/src/lists/list-downloader.ts',
];

const settingsOf = (names, severity) => Object.fromEntries(names.map((name) => [name, severity]));

export default defineConfig({
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  plugins: ['typescript', 'react'],
  jsPlugins: [fileURLToPath(new URL('scripts/check/house-plugin.mjs', import.meta.url))],
  categories: { correctness: 'error' },
  env: { node: true },
  ignorePatterns: [
    'dist/',
    'coverage/',
    '.data/',
    'test/site/',
    'bench/pages/',
    'docs/clients/*.ts',
    'docs/clients/generated/',
    'libs/client/src/generated/',
    'apps/cli/src/recording/generated/',
  ],
  rules: { ...settingsOf(RECOMMENDED, 'error'), ...PLAIN, ...settingsOf(REFUSED, 'off') },
  overrides: [
    { files: ['**/*.{ts,tsx}'], rules: TYPED },
    { files: MADE_BY_NEST, rules: { 'typescript/consistent-type-imports': 'off' } },
    {
      files: ['**/*.{mjs,cjs}'],
      // Its types are those of its comments, which the compiler checks.
      rules: {
        ...settingsOf(Object.keys(TYPED), 'off'),
        'eslint/no-undef': 'error',
        'eslint/no-redeclare': 'error',
      },
    },
    { files: ['**/*.cjs'], rules: { 'typescript/no-require-imports': 'off' } },
    ...Object.entries(HOUSE_RULES).map(([name, { files = CODE, except = [] }]) => ({
      files,
      excludeFiles: except,
      rules: { [`house/${name}`]: 'error' },
    })),
    { files: TOOLS, rules: { 'eslint/no-console': 'off' } },
    // The catalogue of errors is one table, which would only be harder to search in parts.
    { files: ['libs/kernel/src/errors/catalogue.ts'], rules: { 'eslint/max-lines': 'off' } },
    {
      files: ['apps/console/src/**'],
      rules: {
        // Hooks return functions without `this` in objects, which callers take apart.
        'typescript/unbound-method': 'off',
        ...settingsOf(
          REACT.map((name) => `react/${name}`),
          'error',
        ),
      },
    },
    {
      // The body of a response is `any`, and a spy refers to a method without calling it.
      files: TESTS,
      rules: {
        'eslint/max-lines': ['error', 500],
        'eslint/max-lines-per-function': 'off',
        // A spec that finds nothing fails anyway.
        'eslint/no-unsafe-optional-chaining': 'off',
        'typescript/no-unsafe-argument': 'off',
        'typescript/no-unsafe-assignment': 'off',
        'typescript/no-unsafe-member-access': 'off',
        'typescript/unbound-method': 'off',
      },
    },
  ],
});
