import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import globals from 'globals';
import tseslint from 'typescript-eslint';
import { CODE, HOUSE_RULES, TESTS, TOOLS } from './scripts/check/house-rules.mjs';

/** Rules of other people, with our setting and our reason, which is added to the message. */
export const RULES = {
  '@typescript-eslint/no-floating-promises': [
    'error',
    'its rejection would end the process, or vanish: await it, or say what becomes of a failure',
  ],
  '@typescript-eslint/consistent-type-imports': [
    ['error', { fixStyle: 'inline-type-imports' }],
    'a value import runs the module: of puppeteer or of another library’s depths that is a dependency, of a type it is none',
  ],
  '@typescript-eslint/no-import-type-side-effects': [
    'error',
    'a declaration whose names are all inline types may stay behind as an import of the module for its effects',
  ],
  '@typescript-eslint/switch-exhaustiveness-check': [
    ['error', { considerDefaultExhaustiveForUnions: false, requireDefaultForNonUnion: true }],
    'a state or code added later must stop the compiler at each place that decides on it; end in `satisfies never`',
  ],
  '@typescript-eslint/no-explicit-any': [
    'error',
    'any switches the compiler off for all that it touches: use unknown and narrow it',
  ],
  '@typescript-eslint/no-non-null-assertion': [
    'error',
    'it hides the case that the compiler found: handle it, or throw what it means',
  ],
  '@typescript-eslint/no-unused-vars': [
    ['error', { varsIgnorePattern: '^_', argsIgnorePattern: '^_' }],
    'the next reader looks for its use',
  ],
  '@typescript-eslint/prefer-promise-reject-errors': [
    ['error', { allowThrowingAny: true, allowThrowingUnknown: true }],
    'only an Error tells where it came from; the reason of an AbortSignal, which is any, may be passed on',
  ],
  '@typescript-eslint/only-throw-error': [
    ['error', { allowThrowingAny: true, allowThrowingUnknown: true }],
    'only an Error tells where it came from',
  ],
  '@typescript-eslint/require-await': ['off', 'an async method may answer to a port that waits'],
  '@typescript-eslint/no-unsafe-enum-comparison': [
    'off',
    'an enum of Puppeteer would have to be imported at run time',
  ],
  'no-fallthrough': ['error', 'a forgotten break looks the same'],
  'no-lone-blocks': ['error', 'a block after a loop reads as its body and is not'],
  'max-lines': [['error', 300], 'a file has one reason to change; aim at 200 and split by noun'],
  'max-lines-per-function': [
    ['error', { max: 40, skipBlankLines: true, skipComments: true }],
    'what does not fit a screen is not read: name its steps',
  ],
  'no-console': [
    'error',
    'logs are JSON lines with the request and job id, secrets redacted: use the Nest Logger',
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
            for (const node of find(selected, context)) context.report({ node, message });
          },
        }),
      },
    ]),
  ),
};

/** Adds our reason to the message of a rule that is not ours. */
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

const settings = (own) =>
  Object.fromEntries(
    Object.entries(RULES)
      .filter(([name]) => own(name))
      .map(([name, [setting]]) => [name, setting]),
  );
const typed = (name) => name.startsWith('@typescript-eslint/');

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
    ],
  },
  js.configs.recommended,
  {
    languageOptions: { globals: globals.node },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    processor: withReasons,
    plugins: { house },
    rules: settings((name) => !typed(name)),
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: settings(typed),
  },
  ...Object.entries(HOUSE_RULES).map(([name, { files = CODE, except = [] }]) => ({
    files,
    ignores: except,
    rules: { [`house/${name}`]: 'error' },
  })),
  { files: TOOLS, rules: { 'no-console': 'off' } },
  // A migration is one SQL text; cut in two it would only hide half of the table.
  { files: ['libs/database/src/migrations/**'], rules: { 'max-lines-per-function': 'off' } },
  {
    files: TESTS,
    rules: {
      'max-lines': ['error', 500],
      'max-lines-per-function': 'off',
      // The body of an answer is `any`, and a spy names a method without calling it.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
);
