import { openSpan, type OpenSpan } from '@app/tracing';
import type { NextFunction, Request, Response } from 'express';
import { routeOf } from '../metrics/http.metrics.js';
import { isProbe } from './probe-paths.js';

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
