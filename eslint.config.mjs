import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import globals from 'globals';
import tseslint from 'typescript-eslint';

const CODE = ['**/*.{ts,mjs}'];
const TESTS = ['**/*.{spec,int-spec,e2e-spec,conformance}.{ts,mjs}', 'test/**'];
const TOOLS = ['scripts/**', 'bench/**', 'test/architecture/**'];

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

/**
 * Rules of our own: what a selector finds is refused, outside the one file or kind of file that may.
 * Each has a name, so that `files` and `except` are about one rule and never switch off a neighbour.
 */
export const HOUSE_RULES = {
  'env-in-one-place': {
    selector: [
      'MemberExpression[object.name="process"][property.name="env"]',
      'ImportDeclaration[source.value=/^(node:)?process$/] > ImportSpecifier[imported.name="env"]',
    ],
    message:
      'Read Env, not process.env: a variable that env.ts does not state has no rule, no default and no doc.',
    except: ['libs/config/src/load-env.ts', ...TOOLS, ...TESTS],
  },
  'launch-in-one-place': {
    selector: [
      'CallExpression[callee.object.name=/^puppeteer/i][callee.property.name=/^(launch|connect)$/]',
      'ImportDeclaration[source.value=/^puppeteer(-core)?$/] > ImportSpecifier[imported.name=/^(launch|connect)$/]',
    ],
    message:
      'Start browsers by BrowserProcess: one started elsewhere has no sandbox rule, no deadline and nobody who kills it.',
    except: ['libs/browser/src/browser-process.ts', 'bench/**', ...TESTS],
  },
  'requests-in-one-place': {
    selector: 'CallExpression[callee.property.name=/^(on|once|addListener)$/][arguments.0.value="request"]',
    message:
      'Return a verdict from `judge`: two listeners answer the same request twice, and Puppeteer throws.',
    files: ['libs/browser/**', 'libs/capture/**', 'apps/**'],
    except: ['libs/capture/src/pipeline/interceptor.ts', ...TESTS],
  },
  'egress-in-one-place': {
    selector: [
      'CallExpression[callee.name="fetch"]',
      'MemberExpression[object.name=/^(globalThis|global)$/][property.name="fetch"]',
      'NewExpression[callee.name=/^(WebSocket|EventSource)$/]',
      'CallExpression[callee.object.name=/^https?$/][callee.property.name=/^(request|get)$/]',
      'CallExpression[callee.object.name=/^(net|tls)$/][callee.property.name=/^(connect|createConnection)$/]',
      'NewExpression[callee.object.name="net"][callee.property.name="Socket"]',
      'ImportDeclaration[source.value=/^(node:)?https?$/] > ImportSpecifier[imported.name=/^(request|get)$/]',
      'ImportDeclaration[source.value=/^(node:)?(net|tls)$/] > ImportSpecifier[imported.name=/^(connect|createConnection)$/]',
      'ImportDeclaration[source.value=/^((node:)?(dns|dns\\/promises|dgram|http2)|undici)$/]',
    ],
    message:
      'Go out through libs/outbound: what dials without its guard reaches the metadata service and the database for whoever names the address.',
    except: ['libs/outbound/**', ...TOOLS, ...TESTS],
  },
  's3-in-one-place': {
    selector: [
      'ImportDeclaration[source.value=/^@(aws-sdk|smithy)\\//]',
      'ImportExpression[source.value=/^@(aws-sdk|smithy)\\//]',
    ],
    message:
      'Store files by Storage: the SDK dials without the guard of libs/outbound, which is right for the operator’s own store and for nothing else.',
    except: ['libs/storage/src/s3.storage.ts', ...TESTS],
  },
  'time-from-the-clock': {
    selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
    message: 'Inject Clock: a test cannot set the time that `new Date()` reads.',
    except: ['libs/kernel/src/clock.ts', ...TOOLS, ...TESTS],
  },
  'no-http-in-libs': {
    selector:
      'ImportDeclaration[source.value="@nestjs/common"] > ImportSpecifier[imported.name=/Exception$/]',
    message:
      'Throw AppError with a code of the catalogue: a job record and a webhook know no HTTP exception.',
    files: ['libs/**'],
  },
  'no-matching-on-messages': {
    selector: [
      'CallExpression[callee.object.property.name="message"][callee.property.name=/^(includes|match|matchAll|startsWith|endsWith|search|indexOf)$/]',
      'CallExpression[callee.property.name=/^(test|exec)$/] > MemberExpression.arguments[property.name="message"]',
      'BinaryExpression[operator=/^[!=]==?$/] > MemberExpression[property.name="message"]',
      'SwitchStatement > MemberExpression.discriminant[property.name="message"]',
    ],
    message:
      'Decide by class or code: texts change with a version. Chromium’s are read in translate-error.ts alone.',
    except: [
      'libs/capture/src/engine/translate-error.ts',
      // node-postgres gives some lost connections no code at all.
      'libs/jobs/src/queue/postgres-backend.ts',
      ...TOOLS,
      ...TESTS,
    ],
  },
  'few-parameters': {
    selector: [
      ':matches(FunctionDeclaration, ArrowFunctionExpression, TSDeclareFunction)[params.length>3]',
      ':matches(FunctionExpression, TSEmptyBodyFunctionExpression)[params.length>3]:not(MethodDefinition[kind="constructor"] > FunctionExpression, [params.0.decorators.length>0])',
    ],
    message: 'More than 3 positional parameters: a call no longer says what is what. Take one object.',
    // A test of a table takes a row's columns.
    except: TESTS,
  },
  'few-dependencies': {
    selector: 'MethodDefinition[kind="constructor"] > FunctionExpression[params.length>6]',
    message: 'More than 6 injected dependencies: the class has more than one job.',
  },
  'no-forward-ref': {
    selector:
      'ImportDeclaration[source.value="@nestjs/common"] > ImportSpecifier[imported.name="forwardRef"]',
    message: 'forwardRef hides a circle: move what both need into a third provider.',
  },
  'one-global-module': {
    selector: 'Decorator > CallExpression[callee.name="Global"]',
    message: 'A module names what it imports, or nobody sees who needs it. Only the configuration is global.',
    except: ['libs/config/src/config.module.ts'],
  },
  'no-enum': {
    selector: 'TSEnumDeclaration',
    message: 'Use an `as const` object or list: its values are plain JSON and its names a union.',
  },
  'no-focused-tests': {
    selector: [
      'MemberExpression[object.name=/^(it|test|describe)$/][property.name="only"]',
      'CallExpression[callee.name=/^(fit|fdescribe)$/]',
    ],
    message: 'It silently leaves out every other test of the file.',
    files: TESTS,
  },
  'titles-state-facts': {
    selector: [
      'CallExpression[callee.name=/^(it|test)$/] > Literal.arguments:first-child[value=/^should\\b/i]',
      'CallExpression[callee.callee.object.name=/^(it|test)$/] > Literal.arguments:first-child[value=/^should\\b/i]',
      'CallExpression[callee.name=/^(it|test)$/] > TemplateLiteral.arguments:first-child > TemplateElement:first-child[value.raw=/^should\\b/i]',
    ],
    message: 'State what is so ("refuses a private address"): a report of facts reads as documentation.',
    files: TESTS,
  },
};

const house = {
  rules: Object.fromEntries(
    Object.entries(HOUSE_RULES).map(([name, { selector, message }]) => [
      name,
      {
        meta: { type: 'problem', schema: [] },
        create: (context) => ({
          [[selector].flat().join(', ')]: (node) => context.report({ node, message }),
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
