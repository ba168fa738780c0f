import { Injectable } from '@nestjs/common';
import { MetricsService } from '@app/metrics';
import type { NextFunction, Request, Response } from 'express';
import { API_METRICS } from './api-metrics.js';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Of unknown paths and methods, and of the reference's files: whoever probes us makes no time series. */
const OTHER = 'other';

/** nginx's status for a client that hung up before it had its answer. */
const HUNG_UP = 499;

/** Measures every request that is answered. */
@Injectable()
export class HttpMetrics {
  private readonly requests = this.metrics.histogram(API_METRICS.requests);

  constructor(private readonly metrics: MetricsService) {}

  /** Middleware; the earlier it runs the more it sees. */
  readonly measure = (request: Request, response: Response, next: NextFunction): void => {
    const begin = performance.now();
    response.once('close', () => {
      const labels = {
        method: METHODS.has(request.method) ? request.method : OTHER,
        route: routeOf(request),
        status: response.writableFinished ? response.statusCode : HUNG_UP,
      };
      this.requests.observe(labels, (performance.now() - begin) / 1_000);
    });
    next();
  };
}

/** The pattern of the route that took the request. Nest mounts middleware as routes of a wildcard; they are none. */
function routeOf({ route }: Request): string {
  const { path } = (route ?? {}) as { path?: unknown };
  return typeof path === 'string' && !path.includes('*') ? path : OTHER;
}
