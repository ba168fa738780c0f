import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import globals from 'globals';
import tseslint from 'typescript-eslint';
import { CODE, HOUSE_RULES, TESTS, TOOLS } from './scripts/check/house-rules.mjs';

/**
 * Rules of others: their setting, and the reason for it, which is added to the message.
 * Rules that need types, or take long here, are in oxlint.config.mjs, where they take a tenth of the time.
 */
export const RULES = {
  '@typescript-eslint/consistent-type-imports': [
    ['error', { fixStyle: 'inline-type-imports' }],
    'a value import loads the module at run time; a type import does not',
  ],
  '@typescript-eslint/no-import-type-side-effects': [
    'error',
    'a declaration with only inline types may be compiled to an import for side effects',
  ],
  '@typescript-eslint/no-explicit-any': [
    'error',
    'any disables type checking wherever it spreads: use unknown and narrow it',
  ],
  '@typescript-eslint/no-non-null-assertion': [
    'error',
    'it hides a case that the compiler found: handle it, or throw an error that says what it means',
  ],
  'no-fallthrough': ['error', 'it looks like a forgotten break'],
  'no-lone-blocks': ['error', 'a block after a loop looks like its body'],
  'max-lines': [['error', 300], 'a file has one reason to change: aim at 200 lines, and split by noun'],
  'max-lines-per-function': [
    ['error', { max: 40, skipBlankLines: true, skipComments: true }],
    'a function must fit on a screen: extract and name its steps',
  ],
  'no-console': [
    'error',
    'logs are JSON lines with request and job ids and without secrets: use the Nest Logger',
  ],
};

const house = {
  rules: Object.fromEntries(
    Object.entries(HOUSE_RULES).map(([name, { selector, message, find = (node) => [node] }]) => [
      name,
      {
        meta: { type: 'problem', schema: [] },
        create: (context) => ({
          [[selector].flat().join(', ')]: (selected) => {
            for (const node of find(selected, context)) {
              context.report({
                loc: node.loc,
                message: typeof message === 'string' ? message : message(node),
              });
            }
          },
        }),
      },
    ]),
  ),
};

/** Adds the reason to the message of a rule of others. */
const withReasons = {
  meta: { name: 'with-reasons' },
  preprocess: (text) => [text],
  postprocess: (blocks) =>
    blocks.flat().map((found) => {
      const reason = RULES[found.ruleId]?.[1];
      return reason ? { ...found, message: `${found.message} Why: ${reason}.` } : found;
    }),
  supportsAutofix: true,
};

const settings = (isIncluded) =>
  Object.fromEntries(
    Object.entries(RULES)
      .filter(([name]) => isIncluded(name))
      .map(([name, [setting]]) => [name, setting]),
  );
const isOfTypeScript = (name) => name.startsWith('@typescript-eslint/');

export default defineConfig(
  {
    ignores: [
      'dist/',
      'node_modules/',
      '.data/',
      'coverage/',
      'test/site/',
      'bench/pages/',
      'docs/clients/*.ts',
      'docs/clients/generated/',
      'libs/client/src/generated/',
      'apps/cli/src/recording/generated/',
    ],
  },
  js.configs.recommended,
  {
    languageOptions: { globals: globals.node },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    processor: withReasons,
    plugins: { house },
    rules: settings((name) => !isOfTypeScript(name)),
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommended],
    // As in tsconfig.json: the type of a decorated parameter is imported as a value.
    languageOptions: { parserOptions: { emitDecoratorMetadata: true, experimentalDecorators: true } },
    // oxlint reports what is unused.
    rules: { ...settings(isOfTypeScript), '@typescript-eslint/no-unused-vars': 'off' },
  },
  ...Object.entries(HOUSE_RULES).map(([name, { files = CODE, except = [] }]) => ({
    files,
    ignores: except,
    rules: { [`house/${name}`]: 'error' },
  })),
  { files: TOOLS, rules: { 'no-console': 'off' } },
  // The catalogue of errors is one table, which would only be harder to search in parts.
  { files: ['libs/kernel/src/errors/catalogue.ts'], rules: { 'max-lines': 'off' } },
  {
    files: TESTS,
    rules: {
      'max-lines': ['error', 500],
      'max-lines-per-function': 'off',
    },
  },
);
