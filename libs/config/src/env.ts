import { Choice, Flag, Text, Whole } from '@app/kernel';

const MINUTE_MS = 60_000;
const CLIENT_TIMEOUT_MS = { min: 100, max: 10 * MINUTE_MS };

/**
 * Every environment variable with its rule, default and description. `.env.example` and docs/configuration.md are
 * generated from this class; only load-env.ts reads the environment of the process.
 */
export class Env {
  @Text('Address on which the API listens.', { max: 255 })
  HOST = '127.0.0.1';

  @Whole('Port of the API.', { min: 1, max: 65_535 })
  PORT = 3000;

  @Text(
    'URL at which clients reach the API, for the links of `POST /v1/links`; a path in it must be one that the proxy in front ' +
      'removes. Unset: the scheme and the host of the request.',
    {
      max: 1_000,
      pattern: /^https?:\/\/[^\s?#]+$/,
      message: 'must be a URL such as https://capture.example.com',
      example: 'https://capture.example.com',
    },
  )
  PUBLIC_URL?: string;

  @Whole('Time in ms within which a client must send the headers of a request.', CLIENT_TIMEOUT_MS)
  HTTP_HEADERS_TIMEOUT_MS = 10_000;

  @Whole('Time in ms within which a client must send the whole request and its body.', CLIENT_TIMEOUT_MS)
  HTTP_REQUEST_TIMEOUT_MS = 30_000;

  @Whole(
    'Number of trusted proxies in front of the API that append to `X-Forwarded-For`. 0: the header is ignored, and the ' +
      'client is the peer of the connection.',
    { min: 0, max: 10 },
  )
  TRUSTED_PROXIES = 0;

  @Whole(
    'Maximum number of requests without a valid key per minute and client address; further ones get 429 instead of 401. ' +
      'Behind a proxy set TRUSTED_PROXIES, otherwise all clients count as one address.',
    { min: 1, max: 1_000_000 },
  )
  AUTH_FAILURES_PER_MINUTE = 20;

  @Text('Address on which the probe port of the worker listens.', { max: 255 })
  WORKER_HOST = '127.0.0.1';

  @Whole('Port of the worker for probes.', { min: 1, max: 65_535 })
  WORKER_PORT = 3001;

  @Text('Address on which the metrics of the API and the worker are served.', { max: 255 })
  METRICS_HOST = '127.0.0.1';

  @Whole('Port of the API for `/metrics` (Prometheus). 0: disabled.', { min: 0, max: 65_535 })
  METRICS_PORT = 3002;

  @Whole('Port of the worker for `/metrics` (Prometheus). 0: disabled.', { min: 0, max: 65_535 })
  WORKER_METRICS_PORT = 3003;

  @Text('PostgreSQL connection URL. Unset: `npm start` runs its own PostgreSQL in DATA_DIR.', {
    max: 2_000,
    pattern: /^postgres(ql)?:\/\//,
    message: 'must be a URL such as postgres://user:password@host:5432/database',
    secret: true,
    example: 'postgres://capture:secret@localhost:5432/capture',
  })
  DATABASE_URL?: string;

  // With fewer a worker would deadlock: its upkeep holds two connections for locks and needs others for its work.
  @Whole('Maximum number of PostgreSQL connections in the pool of one process.', { min: 4, max: 100 })
  DATABASE_POOL_SIZE = 10;

  @Text('Redis connection URL. Set: the queue is in Redis. Unset: the queue is in PostgreSQL.', {
    max: 2_000,
    pattern: /^rediss?:\/\//,
    message: 'must be a URL such as redis://user:password@host:6379/0',
    secret: true,
    example: 'redis://localhost:6379/0',
  })
  REDIS_URL?: string;

  @Text(
    'Folder of all data of `npm start`: database, files, keys and installation logs. If it exists, running browsers keep ' +
      'their profiles in it, unless its path is too long or they cannot access it.',
    { max: 1_000 },
  )
  DATA_DIR = '.data';

  @Text('Folder of the captured files, shared by API and workers. Unset: `files` in DATA_DIR.', {
    max: 1_000,
  })
  FILES_DIR?: string;

  @Text('S3 bucket for the captured files. Unset: the files are in FILES_DIR.', { max: 63 })
  S3_BUCKET?: string;

  @Text('Region of the S3 bucket.', { max: 64 })
  S3_REGION = 'us-east-1';

  @Text('URL of an S3-compatible store. Unset: AWS.', {
    max: 2_000,
    pattern: /^https?:\/\//,
    message: 'must be a URL such as https://s3.example.com',
    example: 'https://s3.example.com',
  })
  S3_ENDPOINT?: string;

  @Text(
    'Access key ID for the bucket. Unset: the AWS SDK looks for credentials (role, profile, environment).',
    { max: 200 },
  )
  S3_ACCESS_KEY_ID?: string;

  @Text('Secret access key for the bucket.', { max: 200, secret: true })
  S3_SECRET_ACCESS_KEY?: string;

  @Text(
    'Key that encrypts headers, cookies and passwords of captures at rest: 32 bytes in base64. ' +
      '`npm start` creates one in DATA_DIR. To create one: `openssl rand -base64 32`.',
    {
      max: 44,
      pattern: /^[A-Za-z0-9+/]{43}=$/,
      message: 'must be 32 bytes in base64 (openssl rand -base64 32)',
      secret: true,
    },
  )
  SECRETS_KEY?: string;

  @Choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'Minimum log level.')
  LOG_LEVEL = 'info';

  @Choice(['json', 'pretty'], 'Format of the log lines.')
  LOG_FORMAT = 'json';

  @Whole('Number of captures that a worker runs at once; each slot has its own browser.', { min: 1, max: 64 })
  WORKER_SLOTS = 2;

  @Text(
    'Path of the browser. Unset: the system’s headless shell or Chromium, else Puppeteer’s download, else the build from npm.',
    { max: 1_000 },
  )
  PUPPETEER_EXECUTABLE_PATH?: string;

  @Text('Library path for the browser only; `npm start` sets it for the build from npm.', { max: 4_000 })
  BROWSER_LIBRARY_PATH?: string;

  @Text('fontconfig file for the browser only; `npm start` sets it if the system lacks fonts.', {
    max: 1_000,
  })
  BROWSER_FONTCONFIG_FILE?: string;

  @Choice(
    ['on', 'off'],
    'Chromium’s sandbox. `on`: a worker without a working sandbox does not start. `off`: use only if the worker is isolated by other means.',
  )
  CHROMIUM_SANDBOX = 'on';

  @Whole('Maximum number of background captures of the same host at once, across all accounts and workers.', {
    min: 1,
    max: 1_000,
  })
  HOST_CONCURRENCY = 4;

  @Whole('Number of captures after which a browser is replaced.', { min: 1, max: 100_000 })
  BROWSER_MAX_CAPTURES = 100;

  @Whole('Age in ms at which a browser is replaced.', { min: 1_000, max: 24 * 60 * MINUTE_MS })
  BROWSER_MAX_AGE_MS = 60 * MINUTE_MS;

  @Whole(
    'Maximum memory in bytes of one browser with all its processes; shared memory counts once. A capture that exceeds it ' +
      'fails with `resource_limit`. Linux only. Keep WORKER_SLOTS times this value below the memory of the worker.',
    { min: 268_435_456, max: 68_719_476_736 },
  )
  // Rendering and compressing the largest image, 100 megapixels, takes 1.66 GB.
  BROWSER_MAX_MEMORY_BYTES = 2_147_483_648;

  @Whole(
    'Maximum number of processes of one browser. A capture that exceeds it fails with `resource_limit`. Linux only. A ' +
      'browser with site isolation (the headless shell has none) starts one for each site in a frame.',
    { min: 10, max: 10_000 },
  )
  BROWSER_MAX_PROCESSES = 100;

  @Whole(
    'Maximum number of bytes that one capture may load, after decompression. A capture that exceeds it fails with `resource_limit`.',
    { min: 1_048_576, max: 10_737_418_240 },
  )
  BROWSER_MAX_DECODED_BYTES = 209_715_200;

  @Text(
    'Comma-separated `CIDR:port` or `host:port` pairs that captures may reach although they are not public, ' +
      'such as `10.1.2.0/24:8080,[fd00::/8]:443,intranet:80`.',
    { min: 0, max: 10_000 },
  )
  EGRESS_ALLOW = '';

  @Text('Comma-separated CIDRs that captures may not reach although they are public.', {
    min: 0,
    max: 10_000,
  })
  EGRESS_DENY = '';

  @Text('Comma-separated ports that captures may reach.', {
    max: 200,
    pattern: /^\d{1,5}(,\d{1,5})*$/,
    message: 'must be ports such as 80,443',
  })
  EGRESS_PORTS = '80,443,8080,8443';

  @Whole('Maximum number of requests of one capture; a tunnel to a host (https, WebSocket) counts as one.', {
    min: 1,
    max: 1_000_000,
  })
  EGRESS_MAX_REQUESTS = 1_500;

  @Whole('Maximum number of open connections of one capture.', { min: 1, max: 10_000 })
  EGRESS_MAX_CONNECTIONS = 64;

  @Whole('Maximum number of bytes that one capture may send and receive, measured on the wire.', {
    min: 65_536,
    max: 10_737_418_240,
  })
  EGRESS_MAX_BYTES = 52_428_800;

  @Text(
    'Comma-separated URLs of filter lists, which replace those that come with the service. A list is of the kind `ads` ' +
      'unless its kind stands before it: `ads=`, `trackers=`, `chats=`, `annoyances=` or `cookies=` (for `block_cookie_banners`). ' +
      'Each worker downloads them once a day and keeps the last good content of each in DATA_DIR.',
    {
      min: 0,
      max: 10_000,
      secret: true,
      example: 'https://lists.example.com/ads.txt,trackers=https://lists.example.com/privacy.txt',
    },
  )
  FILTER_LISTS_URL = '';

  @Text(
    'File with filter rules of your own, which are added to the lists; it is read again when it changes. A line such as ' +
      '`! kind: cookies` gives the kind of the rules after it; before the first such line it is `ads`.',
    { max: 1_000, example: '/etc/capture/rules.txt' },
  )
  FILTER_RULES_FILE?: string;

  @Whole('Maximum size in bytes of all files of one capture together.', { min: 1_024, max: 1_073_741_824 })
  RESULT_MAX_BYTES = 52_428_800;

  @Text(
    'Options of captures whose callers do not set them, as a JSON object. A caller’s option takes precedence, and a default ' +
      'that contradicts it does not apply (docs/operations.md). Read by the API.',
    { max: 50_000, example: '{"clean":true,"wait_until":"auto"}' },
  )
  DEFAULT_OPTIONS = '{}';

  @Whole('Seconds for which a file is kept if the request has no `expires_in_s`.', {
    min: 60,
    max: 31_536_000,
  })
  RESULT_TTL_S = 604_800;

  // At least a day, because an Idempotency-Key is answered from the record for that long.
  @Whole(
    'Seconds for which the record of a capture is kept after its end. Its file is deleted with it at the latest.',
    { min: 86_400, max: 315_360_000 },
  )
  RECORD_TTL_S = 7_776_000;

  @Flag('Also accept webhook URLs with http.')
  WEBHOOK_HTTP = false;

  @Whole(
    'Time in ms for which the API still accepts requests after SIGTERM while its readiness probe fails, so that a load ' +
      'balancer can notice.',
    { min: 0, max: 120_000 },
  )
  SHUTDOWN_DELAY_MS = 5_000;

  @Whole('Time in ms after SIGTERM within which requests and captures in progress can finish.', {
    min: 0,
    max: 600_000,
  })
  SHUTDOWN_GRACE_MS = 45_000;

  @Flag('Serve the OpenAPI reference at /docs.')
  DOCS = true;

  @Flag('Serve the console at /console.')
  CONSOLE = true;

  @Flag('Serve MCP, the tools for language models, at /mcp.')
  MCP = true;

  @Text('Comma-separated host names that /mcp accepts besides that of PUBLIC_URL.', { min: 0, max: 2_000 })
  MCP_HOSTS = '';
}
