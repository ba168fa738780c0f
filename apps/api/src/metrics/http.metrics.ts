import { Injectable } from '@nestjs/common';
import { MetricsService } from '@app/metrics';
import type { NextFunction, Request, Response } from 'express';
import { API_METRICS } from './api-metrics.js';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Label of unknown paths and methods, and of the reference's files: a scanner must not create time series. */
const OTHER = 'other';

/** nginx's status for a client that disconnects before it has its response. */
const CLIENT_CLOSED_REQUEST = 499;

/** Measures every request. */
@Injectable()
export class HttpMetrics {
  private readonly requests = this.metrics.histogram(API_METRICS.requests);

  constructor(private readonly metrics: MetricsService) {}

  /** Middleware; it must run early, because it does not see requests that an earlier one refuses. */
  readonly measure = (request: Request, response: Response, next: NextFunction): void => {
    const startedAt = performance.now();
    response.once('close', () => {
      const labels = {
        method: METHODS.has(request.method) ? request.method : OTHER,
        route: routeOf(request) ?? OTHER,
        status: response.writableFinished ? response.statusCode : CLIENT_CLOSED_REQUEST,
      };
      this.requests.observe(labels, (performance.now() - startedAt) / 1_000);
    });
    next();
  };
}

/** The pattern of the route that handled the request, or null. Nest mounts middleware as wildcard routes, which do not count. */
export function routeOf({ route }: Request): string | null {
  const { path } = (route ?? {}) as { path?: unknown };
  return typeof path === 'string' && !path.includes('*') ? path : null;
}
