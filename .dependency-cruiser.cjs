/**
 * Who may import whom. Each rule was seen to fail on a seeded violation, and is again by
 * test/architecture/rules-bite.mjs in every `npm run check`.
 */
const {
  API_USES,
  BROWSER_USES,
  CAPTURE_USES,
  CLI_USES,
  CONSOLE_USES,
  PHASES,
  USES,
} = require('./scripts/check/directions.cjs');
const { error, inLevels, levelsOf, TEST } = require('./scripts/check/level-rules.cjs');

/** Written by `npm run gen`: what it imports and exports is the generator's. */
const GENERATED = '^libs/client/src/generated/';
const ENGINE = '^libs/capture/src/engine/';
/** The files that load OpenTelemetry's SDK. */
const SDK = '^libs/tracing/src/(sdk|watched-exporter)\\.ts$';
/** The file of the libraries that the launcher runs as it is. */
const STANDS_ALONE = '^libs/browser/src/launch/browser-candidates\\.ts$';

/** The engine has a rule of its own, and the client is tested against the service. */
const EXCEPT = { capture: [ENGINE], client: [TEST] };

const API = '^apps/api/src/';

/** What an application begins with, which reaches all of it: to follow each of its files takes as long as all other rules. */
const startOf = (app) => `^apps/${app}/src/[^/]+\\.ts$`;

const directions = Object.entries(USES).map(([name, uses]) =>
  error(
    `${name}-looks-down`,
    uses.length === 0
      ? `${name} stands on nothing of ours.`
      : `${name} may use ${uses.join(', ')}: what it reached up to could no longer be built or tested without it.`,
    { path: `^libs/${name}/`, ...(EXCEPT[name] && { pathNot: EXCEPT[name] }) },
    { path: '^libs/', pathNot: [`^libs/(${[name, ...uses].join('|')})/`] },
  ),
);

const phases = inLevels({
  of: 'libs/jobs',
  source: '^libs/jobs/src/',
  uses: PHASES,
  rule: (name) => `jobs-${name}-in-order`,
  why: 'an application imports one phase without those that follow it.',
});

module.exports = {
  forbidden: [
    error(
      'no-circular',
      'Files of a circle can only be understood, tested and loaded together.',
      { pathNot: GENERATED },
      { circular: true },
    ),
    error(
      'no-orphans',
      'Nothing imports the file and it imports nothing: dead, or not wired.',
      { orphan: true, path: '^(apps|libs)/', pathNot: [TEST, GENERATED, '\\.d\\.ts$'] },
      {},
    ),
    error('no-unresolvable', 'The import leads nowhere.', {}, { couldNotResolve: true, pathNot: '/dist/' }),
    error(
      'through-the-front-door',
      'What a library does not export through its index.ts is free to change; @app/capture/engine is the one second door.',
      // The launcher, whose own rule is below, runs before an index.ts is built. The proof of tenancy calls every repository.
      { path: '^(libs/[^/]+|apps/[^/]+|[^/]+)/', pathNot: ['^apps/launcher/', '^test/tenancy/'] },
      { path: '^libs/', pathNot: ['^$1/', '^libs/[^/]+/src/index\\.ts$', `${ENGINE}index\\.ts$`] },
    ),
    error(
      'launcher-before-the-build',
      'The launcher starts from nothing but a checkout: it loads only files that Node can run as they are.',
      { path: '^apps/launcher/', pathNot: [TEST] },
      { path: '^libs/', pathNot: [STANDS_ALONE] },
    ),
    error(
      'stands-alone',
      'The launcher runs this file before anything is built: it can only import what Node finds without a build.',
      { path: STANDS_ALONE },
      { path: '^(libs|apps)/' },
    ),
    error(
      'scripts-without-tests',
      'What a script and a test both need belongs to the launcher; each by itself is easy to follow.',
      { path: '^(apps|libs|scripts)/', pathNot: [TEST] },
      { path: '^(test|bench)/' },
    ),
    error(
      'tests-without-scripts',
      'A test starts services by the launcher. The specs of a script stand beside it; others may read the lists of scripts/check, and dump a schema.',
      { path: '^(test|bench|apps|libs)/' },
      { path: '^scripts/', pathNot: ['^scripts/check/', '^scripts/gen/dump-schema\\.mjs$'] },
    ),
    ...directions,
    ...phases,
    ...levelsOf('libs/capture', CAPTURE_USES),
    ...levelsOf('libs/browser', BROWSER_USES),
    error(
      'cache-behind-its-services',
      'SyncCacheService and JobCacheService decide; a second place that reads the entries, the answers or the followers would decide otherwise.',
      { path: '^(apps|libs)/', pathNot: ['^libs/jobs/src/cache/', TEST] },
      {
        path: '^libs/jobs/src/cache/((cache-entry|cached-answer|follower)\\.repository|recent-captures)\\.ts$',
      },
    ),
    error(
      'client-without-packages',
      'The client runs in browsers and Deno, and depends on nothing; of Node it loads modules only where a file is read or written.',
      { path: '^libs/client/', pathNot: [TEST] },
      { path: 'node_modules/' },
    ),
    error(
      'client-for-callers',
      'The client is for programs that call the API. What runs the service calls its libraries, and writes names of files and queries of links as callers do.',
      {
        path: '^(apps|libs)/',
        pathNot: [
          '^libs/client/',
          '^apps/(cli|console)/',
          `${API}mcp/`,
          `${API}captures/entry-name\\.ts$`,
          `${API}crawls/crawl-downloads\\.service\\.ts$`,
          `${API}links/link-signer\\.service\\.ts$`,
          TEST,
        ],
      },
      { path: '^libs/client/' },
    ),
    error(
      'cli-over-the-client',
      'The command line is a package of its own: of ours it installs the client alone.',
      { path: '^apps/cli/', pathNot: [TEST] },
      { path: '^libs/', pathNot: ['^libs/client/src/index\\.ts$'] },
    ),
    error(
      'console-over-the-client',
      'The console runs in browsers and calls the API like any other program: of ours it may use the client alone.',
      { path: '^apps/console/', pathNot: [TEST] },
      { path: '^libs/', pathNot: ['^libs/client/src/index\\.ts$'] },
    ),
    error(
      'engine-looks-down',
      'The engine may use browser besides what capture may use.',
      { path: ENGINE },
      { path: '^libs/', pathNot: [`^libs/(capture|browser|${USES.capture.join('|')})/`] },
    ),
    error(
      'options-without-engine',
      'The options are read by the API, which must not load the engine.',
      { path: '^libs/capture/', pathNot: [ENGINE] },
      { path: ENGINE },
    ),
    error(
      'engine-in-the-worker',
      'Only the worker captures; a library that loads the engine brings a browser to the API.',
      { path: '^(libs|apps)/', pathNot: ['^apps/worker/', '^libs/capture/', TEST] },
      { path: ENGINE },
    ),
    error(
      'known-libraries',
      'A library without a row in this file would have no direction.',
      { path: '^libs/', pathNot: [`^libs/(${Object.keys(USES).join('|')})/`] },
      {},
    ),
    error(
      'libs-without-apps',
      'An app is the end of the line: what two need goes into a library.',
      { path: '^libs/' },
      { path: '^apps/' },
    ),
    error(
      'apps-apart',
      'API and worker meet in the database and the queue alone, so that each is deployed and scaled by itself.',
      { path: '^apps/([^/]+)/' },
      { path: '^apps/', pathNot: ['^apps/$1/'] },
    ),
    ...levelsOf(
      'apps/api',
      API_USES,
      'routes that reach into each other cannot be read or removed one by one.',
    ),
    ...levelsOf('apps/cli', CLI_USES),
    ...levelsOf('apps/console', CONSOLE_USES),
    error(
      'api-without-browser',
      'The API starts without Chromium; nothing that it reaches, however far, may open one.',
      { path: startOf('api') },
      { path: `^libs/browser/|${ENGINE}`, reachable: true },
    ),
    error(
      'filters-in-the-worker',
      'The lists take memory and time at the start, which the API, and all that it loads, must not pay: elsewhere `import type`.',
      { path: '^(apps|libs)/', pathNot: ['^apps/worker/', '^libs/filters/', ENGINE, TEST] },
      { path: '^libs/filters/', dependencyTypesNot: ['type-only'] },
    ),
    error(
      'worker-without-auth',
      'The worker serves no caller; it must not be able to read keys.',
      { path: startOf('worker') },
      { path: '^libs/auth/', reachable: true },
    ),
    error(
      'comparison-in-the-worker',
      'Only the worker compares files, and the console in the browser; what loads odiff or the search for differences elsewhere brings it to the API.',
      { path: '^(apps|libs)/', pathNot: ['^apps/worker/src/comparison/', '^apps/console/', TEST] },
      { path: 'node_modules/(odiff-bin|diff)/' },
    ),
    error(
      'typeorm-in-repositories',
      'SQL and rows stay behind methods that say what they are for.',
      {
        path: '^(apps|libs)/',
        pathNot: ['\\.(entity|repository)\\.ts$', '^libs/database/', TEST],
      },
      { path: 'node_modules/typeorm/' },
    ),
    error(
      'nest-typeorm-in-modules',
      'A module registers its entities and a repository takes its own; nobody else touches a table.',
      {
        path: '^(apps|libs)/',
        pathNot: ['\\.(module|repository)\\.ts$', '^libs/database/', TEST],
      },
      { path: 'node_modules/@nestjs/typeorm/' },
    ),
    error(
      'bullmq-behind-the-queue',
      'JobQueue is the port of the queue; only its adapter knows BullMQ.',
      { path: '^(apps|libs)/', pathNot: ['^libs/jobs/src/queue/', TEST] },
      { path: 'node_modules/bullmq/' },
    ),
    error(
      'nest-bullmq-behind-the-queue',
      'JobQueueModule registers the queues; only the adapter of the port injects them.',
      { path: '^(apps|libs)/', pathNot: ['^libs/jobs/src/queue/', TEST] },
      { path: 'node_modules/@nestjs/bullmq/' },
    ),
    error(
      'opentelemetry-behind-tracing',
      'Only libs/tracing knows OpenTelemetry, so that one place decides what leaves the process.',
      { path: '^(apps|libs)/', pathNot: ['^libs/tracing/', TEST] },
      { path: 'node_modules/@opentelemetry/' },
    ),
    error(
      'opentelemetry-sdk-on-demand',
      'Who sends no traces does not pay for the SDK: only `await import` may reach it.',
      { path: '^(apps|libs)/', pathNot: [SDK, TEST] },
      { path: `${SDK}|node_modules/@opentelemetry/(?!api/)`, dependencyTypesNot: ['dynamic-import'] },
    ),
    error(
      'puppeteer-type-only',
      'Puppeteer at run time belongs to the browser and the engine; elsewhere `import type`, which leaves no trace.',
      { path: '^(apps|libs)/', pathNot: ['^libs/browser/', ENGINE, TEST] },
      { path: 'node_modules/puppeteer(-core)?/', dependencyTypesNot: ['type-only'] },
    ),
    error(
      'no-tests-in-production',
      'The image carries no tests.',
      { path: '^(apps|libs)/', pathNot: [TEST] },
      { path: [TEST, '^test/'] },
    ),
    error(
      'no-dev-dependency-in-production',
      'It is missing where `npm start` or the image installs packages.',
      { path: '^(apps|libs)/', pathNot: [TEST] },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    ),
    error(
      'only-own-dependencies',
      'It is there by chance, through another package, and goes with it.',
      // A package.json of their own names nothing that only their tests need.
      { path: '^(apps|libs)/', pathNot: [`^(libs/client|apps/(cli|console|launcher))/.*${TEST}`] },
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      mainFields: ['main', 'types'],
    },
    cache: false,
  },
};
