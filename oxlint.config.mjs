/**
 * The lint rules that need types, and those that take long in ESLint, which `npm run check typed` runs by oxlint; every other rule is in
 * eslint.config.mjs.
 */
import { defineConfig } from 'oxlint';
import { TESTS } from './scripts/check/house-rules.mjs';

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

export default defineConfig({
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'off' },
  plugins: ['typescript', 'react'],
  categories: { correctness: 'off' },
  ignorePatterns: [
    'dist/',
    'coverage/',
    '.data/',
    'test/site/',
    'bench/pages/',
    'docs/clients/**',
    'libs/client/src/generated/',
    'apps/cli/src/recording/generated/',
    '**/*.mjs',
    '**/*.cjs',
  ],
  rules: {
    // A reader would look for its use.
    'eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_', argsIgnorePattern: '^_' }],
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
  },
  overrides: [
    {
      files: ['apps/console/src/**'],
      rules: {
        // Hooks return functions without `this` in objects, which callers take apart.
        'typescript/unbound-method': 'off',
        ...Object.fromEntries(REACT.map((name) => [`react/${name}`, 'error'])),
      },
    },
    {
      // The body of a response is `any`, and a spy refers to a method without calling it.
      files: TESTS,
      rules: {
        'typescript/no-unsafe-argument': 'off',
        'typescript/no-unsafe-assignment': 'off',
        'typescript/no-unsafe-member-access': 'off',
        'typescript/unbound-method': 'off',
      },
    },
  ],
});
