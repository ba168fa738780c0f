import path from 'node:path';
import globals from 'globals';
import { tableRules } from './table-owners.mjs';

export const CODE = ['**/*.{ts,mjs}'];
export const TESTS = ['**/*.{spec,int-spec,e2e-spec,conformance}.{ts,mjs}', 'test/**'];
export const TOOLS = ['scripts/**', 'bench/**', 'test/architecture/**'];

/** Globals of a page that Node does not have; TypeScript knows them everywhere, as libs/capture is part of its program. */
const PAGE_GLOBALS = new Set(Object.keys(globals.browser).filter((name) => !(name in globals.node)));

/** `job-queue.service.ts` → `JobQueueService`; `job.entity.ts` → `Job`. */
const classNameOf = (filename) =>
  path
    .basename(filename)
    .replace(/(\.entity)?\.ts$/, '')
    .replace(/(?:^|[-.])(\w)/g, (_, letter) => letter.toUpperCase());

/**
 * The project's own rules: each refuses what its selector finds, except in the files that may contain it. `find` narrows a
 * selected node down to the nodes at fault. Each rule has a name, so that `files` and `except` never switch off another.
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
  'class-named-like-its-file': {
    selector:
      'ClassDeclaration > Decorator > CallExpression[callee.name=/^(Injectable|Controller|Module|Catch|Processor|Entity)$/]',
    find: ({ parent }, { filename }) =>
      parent.parent.id?.name === classNameOf(filename) ? [] : [parent.parent.id ?? parent],
    message:
      'Name the class like its file (`job-queue.service.ts` = `JobQueueService`, `job.entity.ts` = `Job`), one in each file: a name seen in a log, a constructor or a stack is then the path to open.',
    except: [...TOOLS, ...TESTS],
  },
  'no-page-globals': {
    selector: 'Program:exit',
    find: (_, { sourceCode }) =>
      sourceCode.scopeManager.scopes
        .flatMap(({ references }) => references)
        .filter(({ identifier, resolved }) => PAGE_GLOBALS.has(identifier.name) && !resolved?.defs.length)
        .map(({ identifier }) => identifier),
    message:
      'Only a page has this global (the compiler knows `name`, `event` or `document` everywhere): here it is undefined.',
    files: ['**/*.ts'],
    except: ['libs/browser/**', 'libs/capture/**', 'bench/**', ...TESTS],
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
  ...tableRules(TESTS),
};
