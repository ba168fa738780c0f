import { stdTimeFunctions, type LoggerOptions } from 'pino';
import type { Env } from '@app/config';
import { traceFields } from '@app/tracing';
import { boundLine } from './bounded-line.js';
import { repeatedLines } from './repeated-lines.js';

/** Paths whose values are redacted in every line: a library may log a request, an error or options. */
const SECRET_PATHS = [
  'req.headers.authorization',
  'req.headers["x-api-key"]',
  'req.headers.cookie',
  'res.headers["set-cookie"]',
  'err.config',
  'err.client',
  'err.parameters',
];

/**
 * The format of the log: JSON lines with the name of the process, or readable lines with LOG_FORMAT=pretty.
 *
 * @param secretNames names of the properties that are redacted in whatever object is logged
 */
export function loggerOptions(env: Env, service: string, secretNames: readonly string[]): LoggerOptions {
  return {
    level: env.LOG_LEVEL,
    base: { service },
    // Names the active span; a line without one stays as it is.
    ...(env.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined && { mixin: traceFields }),
    timestamp: stdTimeFunctions.isoTime,
    formatters: env.LOG_FORMAT === 'json' ? { level: (level) => ({ level }) } : {},
    hooks: { logMethod: quieted(), streamWrite: boundLine },
    redact: { paths: [...SECRET_PATHS, ...secretNames.map((name) => `*.${name}`)], censor: '[redacted]' },
    ...(env.LOG_FORMAT === 'pretty' && { transport: PRETTY }),
  };
}

const PRETTY = {
  target: 'pino-pretty',
  options: {
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname,service,req,res,context',
  },
} as const;

/** The contexts in which Nest logs a line for every module and route at each start, which is of use only for debugging. */
const BOOT_CONTEXTS = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);
const WARN = 40;

/** Drops what Nest logs of its own start, and what a loop says again and again during an outage. */
function quieted(): NonNullable<LoggerOptions['hooks']>['logMethod'] {
  const decide = repeatedLines();
  return function (args, method, level) {
    if (level < WARN && isFrameworkBoot(args) && this.level !== 'debug') return;
    if (decide(args, level) === 'write') method.apply(this, args);
  };
}

function isFrameworkBoot([first]: readonly unknown[]): boolean {
  const context =
    typeof first === 'object' && first !== null && 'context' in first ? first.context : undefined;
  return typeof context === 'string' && BOOT_CONTEXTS.has(context);
}
