/** The libraries that each library may use; the order is the order of the levels, lowest first. */
const USES = {
  client: [],
  kernel: [],
  config: ['kernel'],
  tracing: ['config', 'kernel'],
  database: ['config', 'kernel'],
  storage: ['config', 'kernel'],
  outbound: ['config', 'kernel'],
  filters: ['outbound', 'config', 'kernel'],
  browser: ['config', 'kernel'],
  process: ['tracing', 'config', 'kernel'],
  audit: ['database', 'kernel'],
  health: ['database', 'kernel'],
  webhooks: ['audit', 'database', 'outbound', 'config', 'kernel'],
  metrics: ['config', 'kernel'],
  auth: ['audit', 'database', 'config', 'kernel'],
  usage: ['audit', 'webhooks', 'database', 'config', 'kernel'],
  capture: ['filters', 'outbound', 'config', 'kernel'],
  sessions: ['capture', 'database', 'config', 'kernel'],
  jobs: ['sessions', 'capture', 'usage', 'webhooks', 'outbound', 'database', 'tracing', 'config', 'kernel'],
  bulk: [
    'jobs',
    'sessions',
    'usage',
    'webhooks',
    'capture',
    'outbound',
    'database',
    'tracing',
    'config',
    'kernel',
  ],
  monitors: ['jobs', 'usage', 'webhooks', 'capture', 'database', 'config', 'kernel'],
  crawls: ['bulk', 'jobs', 'capture', 'outbound', 'database', 'tracing', 'config', 'kernel'],
};

/**
 * The folders that each folder of the API may use; the order is the order of the levels, lowest first. A feature uses
 * another one only where its routes build on the other's records; main.ts, api.module.ts and api.docs.ts assemble them.
 */
const API_USES = {
  metrics: [],
  http: ['metrics'],
  openapi: ['http'],
  devices: ['openapi', 'http'],
  usage: ['openapi', 'http'],
  version: ['openapi', 'http'],
  health: ['version', 'openapi', 'http', 'metrics'],
  webhooks: ['openapi', 'http'],
  captures: ['openapi', 'http'],
  jobs: ['captures', 'webhooks', 'openapi', 'http'],
  sessions: ['captures', 'openapi', 'http'],
  sync: ['jobs', 'captures', 'openapi', 'http', 'metrics'],
  links: ['sync', 'captures', 'openapi', 'http'],
  bulk: ['captures', 'webhooks', 'openapi', 'http', 'metrics'],
  monitors: ['captures', 'webhooks', 'openapi', 'http'],
  admin: ['bulk', 'health', 'webhooks', 'usage', 'openapi', 'http'],
  crawls: ['captures', 'webhooks', 'openapi', 'http'],
  console: ['http'],
  mcp: ['http'],
};

/** The phases of a job's life, as folders of libs/jobs, and those that each may use. */
const PHASES = {
  job: [],
  queue: ['job'],
  signals: ['job'],
  workers: [],
  cache: ['job', 'signals', 'workers'],
  acceptance: ['job', 'queue', 'signals', 'workers', 'cache'],
  'log-ins': ['queue', 'acceptance'],
  dispatch: ['job', 'queue', 'workers', 'cache'],
  running: ['job', 'queue', 'signals', 'cache'],
  batches: ['job', 'signals', 'workers', 'acceptance', 'cache'],
  history: ['job', 'signals', 'acceptance', 'running', 'cache'],
  upkeep: ['job', 'queue', 'signals', 'cache', 'running'],
};

/** The folders of libs/capture, lowest first, and those that each may use: from what a capture finds out up to what captures. */
const CAPTURE_USES = {
  record: [],
  pipeline: ['record'],
  blocking: ['pipeline', 'record'],
  'browser-state': ['pipeline'],
  'full-page': ['pipeline'],
  overlays: ['pipeline', 'record'],
  readiness: ['pipeline', 'record'],
  stability: ['pipeline', 'record'],
  actions: ['readiness', 'pipeline', 'record'],
  consent: ['overlays', 'pipeline', 'record'],
  options: [
    ...['actions', 'consent', 'blocking', 'full-page', 'overlays', 'readiness', 'stability'],
    ...['pipeline', 'record'],
  ],
  formats: ['options', 'full-page', 'readiness', 'stability', 'pipeline', 'record'],
  findings: ['formats', 'options', 'pipeline', 'record'],
  request: ['formats', 'options', 'blocking', 'pipeline'],
  engine: [
    ...['findings', 'request', 'formats', 'options', 'browser-state', 'readiness', 'stability'],
    ...['pipeline', 'record'],
  ],
};

/** The folders of libs/browser, lowest first, and those that each may use. */
const BROWSER_USES = {
  launch: [],
  transport: [],
  watchdog: [],
  page: ['launch'],
  process: ['page', 'transport', 'watchdog', 'launch'],
  slots: ['process', 'page', 'watchdog'],
};

/** The folders of the command line, lowest first; main.ts, run.ts and program.ts assemble them, failure.ts prints what they throw. */
const CLI_USES = {
  completion: [],
  context: [],
  files: ['context'],
  terminal: ['context'],
  options: ['files', 'context'],
  capture: ['options', 'terminal', 'files', 'context'],
  batch: ['options', 'terminal', 'files', 'context'],
  crawl: ['batch', 'options', 'terminal', 'files', 'context'],
  recording: ['terminal', 'context'],
  commands: [
    'recording',
    'crawl',
    'batch',
    'capture',
    'options',
    'terminal',
    'files',
    'context',
    'completion',
  ],
};

/** The folders of the console, lowest first; console.tsx assembles them. Pages may use each other's parts, but not the shell around them. */
const CONSOLE_USES = {
  api: [],
  charts: [],
  ui: ['charts', 'api'],
  session: ['ui', 'api'],
  'capture-record': ['ui', 'api'],
  pages: ['capture-record', 'charts', 'ui', 'api'],
  shell: ['pages', 'session', 'ui', 'api'],
};

module.exports = { API_USES, BROWSER_USES, CAPTURE_USES, CLI_USES, CONSOLE_USES, PHASES, USES };
