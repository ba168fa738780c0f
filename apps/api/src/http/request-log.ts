import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Params } from 'nestjs-pino';
import { SECRET_OPTIONS } from '@app/capture';
import type { Env } from '@app/config';
import { loggerOptions } from '@app/process';
import { isProbe } from './probe-paths.js';

/** Logs one line for each request, and adds the request's id to every line that is logged while it is handled. */
export function requestLog(env: Env): Params {
  return {
    pinoHttp: {
      ...loggerOptions(env, 'api', SECRET_OPTIONS),
      quietReqLogger: true,
      quietResLogger: true,
      customAttributeKeys: { reqId: 'request_id', responseTime: 'duration_ms' },
      genReqId: (request) => request.id,
      autoLogging: { ignore: (request) => isProbe(pathOf(request)) },
      // ProblemFilter logs a fault of the service with its cause; this line is about the request.
      customLogLevel: (request, { statusCode }) => (isQuiet(request, statusCode) ? 'debug' : 'info'),
      customSuccessMessage: describe,
      customErrorMessage: describe,
      customSuccessObject: (request, response, { duration_ms }: Duration) =>
        outcomeOf(request, response, duration_ms),
      customErrorObject: (...[request, response, , value]: [...Exchange, Error, Duration]) =>
        outcomeOf(request, response, value.duration_ms),
    },
  };
}

/** An open console reads every few seconds: of it, only what changes something or fails is logged by default. */
function isQuiet(request: IncomingMessage, status: number): boolean {
  return request.method === 'GET' && status < 400 && /^\/console(\/|$)/.test(pathOf(request));
}

type Exchange = [IncomingMessage, ServerResponse];

interface Duration {
  readonly duration_ms?: number;
}

/** Neither headers nor the query string: a key may be in either, although it should not be in the latter. */
function outcomeOf(request: IncomingMessage, response: ServerResponse, durationMs?: number): object {
  return {
    method: request.method,
    path: pathOf(request),
    status: response.statusCode,
    duration_ms: durationMs,
    key_id: request.caller?.keyId,
    account_id: request.caller?.accountId,
    job_id: response.getHeader('x-capture-id'),
  };
}

function describe(request: IncomingMessage, response: ServerResponse): string {
  const outcome = response.writableFinished ? String(response.statusCode) : 'client disconnected';
  return `${request.method ?? ''} ${pathOf(request)} ${outcome}`;
}

function pathOf(request: IncomingMessage): string {
  const { originalUrl = request.url ?? '' } = request as { originalUrl?: string };
  return originalUrl.split('?')[0] ?? '';
}
