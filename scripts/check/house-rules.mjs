import path from 'node:path';
import globals from 'globals';
import { betterName, proseOf, refusedIn } from './plain-english.mjs';
import { tableRules } from './table-owners.mjs';

export const CODE = ['**/*.{ts,tsx,mjs}'];
export const TESTS = ['**/*.{spec,int-spec,e2e-spec,conformance}.{ts,mjs}', 'test/**'];
export const TOOLS = ['apps/launcher/**', 'scripts/**', 'bench/**', 'test/architecture/**'];

/** Globals that exist in a page and not in Node. TypeScript accepts them everywhere, because libs/capture needs their types. */
const PAGE_GLOBALS = new Set(Object.keys(globals.browser).filter((name) => !(name in globals.node)));

/** `job-queue.service.ts` → `JobQueueService`; `job.entity.ts` → `Job`. */
const classNameOf = (filename) =>
  path
    .basename(filename)
    .replace(/(\.entity)?\.ts$/, '')
    .replace(/(?:^|[-.])(\w)/g, (_, letter) => letter.toUpperCase());

/** The text of a comment, of a string or of a part of a template. */
const textOf = ({ value }) => proseOf(value.raw ?? value);

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
      'Read Env, not process.env: a variable that libs/config/src/env does not declare has no rule, no default and no documentation.',
    except: ['libs/config/src/load-env.ts', 'apps/console/vite.config.ts', ...TOOLS, ...TESTS],
  },
  'no-spread-literals': {
    selector: 'ObjectExpression > SpreadElement > ObjectExpression',
    message: 'Write the fields themselves: a literal that is spread into another one only saves lines.',
  },
  'launch-in-one-place': {
    selector: [
      'CallExpression[callee.object.name=/^puppeteer/i][callee.property.name=/^(launch|connect)$/]',
      'ImportDeclaration[source.value=/^puppeteer(-core)?$/] > ImportSpecifier[imported.name=/^(launch|connect)$/]',
    ],
    message:
      'Start browsers by BrowserProcess: a browser started elsewhere has no sandbox, no timeout and nothing that kills it.',
    except: ['libs/browser/src/process/browser-process.ts', 'bench/**', ...TESTS],
  },
  'requests-in-one-place': {
    selector: 'CallExpression[callee.property.name=/^(on|once|addListener)$/][arguments.0.value="request"]',
    message:
      'Decide on requests in `judge` or RequestBlocker: two listeners would answer the same request twice, and Puppeteer throws.',
    files: ['libs/browser/**', 'libs/capture/**', 'apps/**'],
    except: ['libs/capture/src/{pipeline/interceptor,blocking/request-blocker}.ts', ...TESTS],
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
      'Connect through libs/outbound: without its guard a caller’s URL could reach the metadata service or the database.',
    // The client calls the service for programs of others, on their machines.
    except: [
      'libs/outbound/**',
      'libs/client/src/transport.ts',
      // Calls the service of its user, as the client does.
      'apps/cli/src/commands/mcp-bridge.ts',
      // Runs in browsers, and calls the service that served it.
      'apps/console/src/api/{client,server-clock}.ts',
      // Connects to its own process only, whose guards every request passes.
      'apps/api/src/mcp/loopback-client.factory.ts',
      ...TOOLS,
      ...TESTS,
    ],
  },
  's3-in-one-place': {
    selector: [
      'ImportDeclaration[source.value=/^@(aws-sdk|smithy)\\//]',
      'ImportExpression[source.value=/^@(aws-sdk|smithy)\\//]',
    ],
    message:
      'Store files by Storage: the SDK connects without the guard of libs/outbound, which is right only for the operator’s own store.',
    except: ['libs/storage/src/s3.storage.ts', ...TESTS],
  },
  'connections-in-one-place': {
    selector: 'NewExpression[callee.object.name="pg"][callee.property.name=/^(Client|Pool)$/]',
    message:
      'Use Client or Pool of @app/database: those of pg end the process when a connection breaks while nobody listens.',
    except: ['scripts/gen/**', 'bench/**', ...TESTS],
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
      'Throw AppError with a code of the catalogue: job records and webhooks have no use for an HTTP exception.',
    files: ['libs/**'],
  },
  'paths-in-one-place': {
    selector: [
      String.raw`Literal[value=/(^|['"])\u002Fv1\u002F/]`,
      String.raw`TemplateElement[value.raw=/(^|['"])\u002Fv1\u002F/]`,
    ],
    message:
      'Use resource-paths.ts: a library knows no path of the API but those that records, webhooks and exports contain.',
    files: ['libs/**'],
    // A link is signed with its path.
    except: ['libs/jobs/src/job/resource-paths.ts', 'libs/client/src/links-api.ts', ...TESTS],
  },
  'no-matching-on-messages': {
    selector: [
      'CallExpression[callee.object.property.name="message"][callee.property.name=/^(includes|match|matchAll|startsWith|endsWith|search|indexOf)$/]',
      'CallExpression[callee.property.name=/^(test|exec)$/] > MemberExpression.arguments[property.name="message"]',
      'BinaryExpression[operator=/^[!=]==?$/] > MemberExpression[property.name="message"]',
      'SwitchStatement > MemberExpression.discriminant[property.name="message"]',
    ],
    message:
      'Decide by class or code: texts change between versions. Only translate-error.ts reads those of Chromium.',
    except: [
      'libs/capture/src/engine/translate-error.ts',
      // node-postgres reports some lost connections without a code.
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
    message: 'More than 3 positional parameters make calls unreadable: take one object.',
    // A table test takes the columns of a row.
    except: TESTS,
  },
  'few-dependencies': {
    selector: 'MethodDefinition[kind="constructor"] > FunctionExpression[params.length>6]',
    message: 'More than 6 injected dependencies: the class does more than one thing.',
  },
  'no-forward-ref': {
    selector:
      'ImportDeclaration[source.value="@nestjs/common"] > ImportSpecifier[imported.name="forwardRef"]',
    message: 'forwardRef hides a circular dependency: move what both need to a third provider.',
  },
  'one-global-module': {
    selector: 'Decorator > CallExpression[callee.name="Global"]',
    message:
      'A module names what it imports, so that its dependencies are visible. Only the configuration is global.',
    except: ['libs/config/src/config.module.ts'],
  },
  'no-enum': {
    selector: 'TSEnumDeclaration',
    message: 'Use an `as const` object or list: its values are plain JSON, and its names a union.',
  },
  'class-named-like-its-file': {
    selector:
      'ClassDeclaration > Decorator > CallExpression[callee.name=/^(Injectable|Controller|Module|Catch|Processor|Entity)$/]',
    find: ({ parent }, { filename }) =>
      parent.parent.id?.name === classNameOf(filename) ? [] : [parent.parent.id ?? parent],
    message:
      'Name the class like its file (`job-queue.service.ts` = `JobQueueService`, `job.entity.ts` = `Job`), one class in each file: its name in a log or a stack then leads to the file.',
    except: [...TOOLS, ...TESTS],
  },
  'no-page-globals': {
    selector: 'Program:exit',
    find: (_, { sourceCode }) =>
      sourceCode.scopeManager.scopes
        .flatMap(({ references }) => references)
        .filter(({ identifier, resolved }) => PAGE_GLOBALS.has(identifier.name) && !resolved?.defs.length)
        .map(({ identifier }) => identifier),
    message: 'This global exists only in a page; here it is undefined, although the compiler accepts it.',
    files: ['**/*.ts'],
    except: [
      'libs/browser/**',
      'libs/capture/**',
      // Sent to a page.
      'libs/kernel/src/undrawn-letters.ts',
      'apps/cli/src/recording/watch-page.ts',
      'apps/console/**',
      'bench/**',
      ...TESTS,
    ],
  },
  'plain-english': {
    selector: ['Program', 'Literal[value=/ /]', 'TemplateElement[value.raw=/ /]', 'JSXText[value=/\\w /]'],
    find: (node, { sourceCode }) =>
      (node.type === 'Program' ? sourceCode.getAllComments() : [node]).filter(
        (each) => refusedIn(textOf(each)).length > 0,
      ),
    message: (node) =>
      `Write for an engineer who has five minutes, in full sentences, subject first: ${refusedIn(textOf(node)).join('; ')}.`,
    except: [
      'scripts/check/plain-english.mjs',
      'test/architecture/seeds.mjs',
      'test/operations/public-texts.spec.ts',
    ],
  },
  'plain-names': {
    selector: [
      'MethodDefinition > Identifier.key',
      'TSAbstractMethodDefinition > Identifier.key',
      'FunctionDeclaration > Identifier.id',
      ':matches(Program, ExportNamedDeclaration) > VariableDeclaration > VariableDeclarator[init.type="ArrowFunctionExpression"] > Identifier.id',
      ':matches(ClassDeclaration, TSInterfaceDeclaration, TSTypeAliasDeclaration) > Identifier.id',
    ],
    find: (node) => (betterName(node.name) === undefined ? [] : [node]),
    message: (node) => `\`${node.name}\` does not say what it does: write ${betterName(node.name)}.`,
  },
  'no-focused-tests': {
    selector: [
      'MemberExpression[object.name=/^(it|test|describe)$/][property.name="only"]',
      'CallExpression[callee.name=/^(fit|fdescribe)$/]',
    ],
    message: 'It silently skips every other test of the file.',
    files: TESTS,
  },
  'titles-state-facts': {
    selector: [
      'CallExpression[callee.name=/^(it|test)$/] > Literal.arguments:first-child[value=/^should\\b/i]',
      'CallExpression[callee.callee.object.name=/^(it|test)$/] > Literal.arguments:first-child[value=/^should\\b/i]',
      'CallExpression[callee.name=/^(it|test)$/] > TemplateLiteral.arguments:first-child > TemplateElement:first-child[value.raw=/^should\\b/i]',
    ],
    message: 'State a fact ("refuses a private address"), so that the report reads as documentation.',
    files: TESTS,
  },
  ...tableRules(TESTS),
};
