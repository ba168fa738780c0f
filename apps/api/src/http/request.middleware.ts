import { AppError, newId } from '@app/kernel';
import { openSpan, type OpenSpan } from '@app/tracing';
import type { NextFunction, Request, Response } from 'express';
import { routeOf } from '../metrics/http.metrics.js';
import { methodNotAllowed, methodsOfLiteral, type Routes } from './allowed-methods.js';
import { NO_STORE } from './caching.js';
import { isProbe } from './probe-paths.js';

export const MAX_HEADERS = 100;

/** A caller's own id is used when it is safe to log and to send back. */
const SAFE_ID = /^[A-Za-z0-9_-]{8,64}$/;

/** Gives every request an id and every response the header `X-Request-Id`. */
export function requestId(request: Request, response: Response, next: NextFunction): void {
  const own = request.get('x-request-id');
  request.id = own !== undefined && SAFE_ID.test(own) ? own : newId();
  response.setHeader('X-Request-Id', request.id);
  next();
}

/** Forbids caching by default. A route whose response may be cached, such as a file, sets its own header instead. */
export function noStore(_request: Request, response: Response, next: NextFunction): void {
  response.set(NO_STORE);
  next();
}

/**
 * Refuses a request with too many headers. Node's own limit drops the surplus silently, and a dropped header may be the
 * one that mattered.
 */
export function headerLimit(request: Request, _response: Response, next: NextFunction): void {
  if (request.rawHeaders.length / 2 <= MAX_HEADERS) next();
  else next(new AppError('headers_too_large', { detail: `At most ${MAX_HEADERS} headers are accepted.` }));
}

/** What separates a host from other parts of a URL, which a Host header must not have (RFC 9110, 7.2). */
const NOT_HOST = /[\s@/\\?#]/;

/**
 * Refuses an HTTP/1.1 request with no Host header or several or an invalid one (RFC 9112, 3.2): a proxy in front may have routed by another
 * one than we read. Node would answer the first case without a body and take the first header in the second.
 */
export function singleHost(request: Request, _response: Response, next: NextFunction): void {
  const hosts = request.rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === 'host').length;
  if (hosts !== 1 && !(hosts === 0 && request.httpVersion !== '1.1')) {
    next(new AppError('invalid_request', { detail: 'A request must have one Host header.' }));
  } else if (NOT_HOST.test(request.headers.host ?? '')) {
    next(
      new AppError('invalid_request', { detail: 'The Host header must be a host with an optional port.' }),
    );
  } else next();
}

/** Refuses a method that the route of exactly this path does not take, before a route with `:id` in its place matches. */
export function literalRoutes(request: Request, response: Response, next: NextFunction): void {
  const { router } = request.app as unknown as { readonly router: Routes };
  const allowed = methodsOfLiteral(router, request.path);
  if (allowed.length === 0 || allowed.includes(request.method)) next();
  else next(methodNotAllowed(allowed, response));
}

/**
 * Middleware that opens the span of a request, as a child of the caller's `traceparent` (W3C Trace Context). It names the
 * route and the path, never the query or a header.
 */
export function traceRequest(request: Request, response: Response, next: NextFunction): void {
  if (isProbe(request.path)) {
    next();
    return;
  }
  const facts = {
    'http.request.method': request.method,
    'url.path': request.path,
    'url.scheme': request.protocol,
  };
  const span = openSpan(request.method, { kind: 'server', facts, parent: parentOf(request) });
  if (span.isRecorded) {
    // Files and archives are sent with the ten listeners that Node takes for usual.
    response.setMaxListeners(response.getMaxListeners() + 1);
    response.once('close', () => {
      close(span, request, response);
    });
  }
  span.run(next);
}

/** Node joins a header that is there twice; the result is not valid, and counts as none. */
function parentOf({ headers: { traceparent, tracestate } }: Request): string | null {
  return typeof traceparent === 'string' ? `${traceparent} ${String(tracestate ?? '')}` : null;
}

function close(span: OpenSpan, request: Request, response: Response): void {
  const { writableFinished, statusCode } = response;
  const route = routeOf(request);
  if (route !== null) span.rename(`${request.method} ${route}`);
  const id = response.getHeader('x-capture-id');
  span.set({
    'http.route': route,
    'http.response.status_code': writableFinished ? statusCode : null,
    'capture.id': typeof id === 'string' ? id : null,
    'capture.request.id': request.id as string | undefined,
  });
  if (!writableFinished) span.failWith('client_disconnected', false);
  else if (statusCode >= 500) span.failWith(String(statusCode));
  span.end();
}
