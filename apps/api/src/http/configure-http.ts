import type { Server } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Env } from '@app/config';
import { asRequest } from '@app/database';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import { HttpMetrics } from '../metrics/http.metrics.js';
import { openLinks } from './cross-origin.js';
import { DrainService } from './drain.service.js';
import { answerClientError } from './errors/client-error.js';
import {
  headerLimit,
  literalRoutes,
  MAX_HEADERS,
  noStore,
  requestId,
  singleHost,
  traceRequest,
} from './request.middleware.js';

/** How often Node looks for clients that exceed a timeout; its default of 30 s would double the timeouts. */
const CHECK_INTERVAL_MS = 2_000;
/** Longer than load balancers keep an idle connection (60 s), so that they close first and never use a closed one. */
const KEEP_ALIVE_MS = 65_000;

/** Configures everything about HTTP that holds for every route. Must be called before the app listens. */
export function configureHttp(app: NestExpressApplication): void {
  app.disable('x-powered-by');
  oneSpelling(app);
  // A weak ETag over every JSON body costs a hash and saves nothing; files and devices have their own.
  app.set('etag', false);
  // Any client can send X-Forwarded-For, so it is trusted only as far as the operator says.
  app.set('trust proxy', app.get(Env).TRUSTED_PROXIES);
  app.use(ofOneRequest);
  app.use(app.get(DrainService).track);
  app.use(app.get(HttpMetrics).measure);
  app.use(traceRequest);
  // Everything below may refuse a request, and an error names the request's id.
  app.use(requestId);
  app.use(noStore);
  app.use(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
      },
      // The operator decides whether the service is reached by HTTPS.
      strictTransportSecurity: false,
    }),
  );
  app.use(openLinks);
  app.use(headerLimit);
  app.use(singleHost);
  app.use(literalRoutes);
  configureServer(app.getHttpServer(), app.get(Env));
}

/** The statements of a request belong to it, and so to its account, whose connections are limited. */
function ofOneRequest(_request: Request, _response: Response, next: NextFunction): void {
  asRequest(next);
}

/** Guards and middleware compare paths as they are written, so another spelling must not reach the same route. */
function oneSpelling(app: NestExpressApplication): void {
  const { router } = app.getHttpAdapter().getInstance() as unknown as { router: object };
  // The settings "case sensitive routing" and "strict routing" are too late, because Nest has created the router.
  Object.assign(router, { caseSensitive: true, strict: true });
}

type HttpServer = Server & { connectionsCheckingInterval?: number; requireHostHeader?: boolean };

/** What holds for every port on which the API listens. */
export function configureServer(server: HttpServer, env: Env): void {
  server.headersTimeout = env.HTTP_HEADERS_TIMEOUT_MS;
  server.requestTimeout = env.HTTP_REQUEST_TIMEOUT_MS;
  server.connectionsCheckingInterval = CHECK_INTERVAL_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  // Above the limit of `headerLimit`, which answers with an error instead of dropping headers.
  server.maxHeadersCount = 20 * MAX_HEADERS;
  // `singleHost` answers instead, with a problem document.
  server.requireHostHeader = false;
  // An unknown expectation may be ignored (RFC 9110, 10.1.1); Node would answer with an empty 417.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', answerClientError);
}
