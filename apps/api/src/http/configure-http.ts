import type { Server } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Env } from '@app/config';
import helmet from 'helmet';
import { HttpMetrics } from '../metrics/http.metrics.js';
import { answerClientError } from './client-error.js';
import { headerLimit, MAX_HEADERS } from './header-limit.middleware.js';
import { literalRoutes } from './literal-routes.middleware.js';
import { noStore } from './no-store.middleware.js';
import { oneHost } from './one-host.middleware.js';
import { requestId } from './request-id.middleware.js';
import { ServingService } from './serving.service.js';

/** Node looks for late clients only this often; its default of 30 s would double the times they have. */
const CHECK_EVERY_MS = 2_000;
/** Longer than load balancers keep an idle connection (60 s), so that they close first and never hit a closed one. */
const KEEP_ALIVE_MS = 65_000;

/** Everything about HTTP that holds for every route. To be called before the app listens. */
export function configureHttp(app: NestExpressApplication): void {
  app.disable('x-powered-by');
  // A weak ETag over every JSON body costs a hash and saves nothing; files and devices have their own.
  app.set('etag', false);
  // A header that any client can send is believed only as far as the operator says.
  app.set('trust proxy', app.get(Env).TRUSTED_PROXIES);
  app.use(app.get(ServingService).track);
  app.use(app.get(HttpMetrics).measure);
  app.use(requestId);
  app.use(noStore);
  app.use(headerLimit);
  app.use(oneHost);
  app.use(literalRoutes);
  app.use(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
      },
      // Whether the service is reached by HTTPS is the operator's to say.
      strictTransportSecurity: false,
    }),
  );
  configureServer(app.getHttpServer(), app.get(Env));
}

type HttpServer = Server & { connectionsCheckingInterval?: number; requireHostHeader?: boolean };

function configureServer(server: HttpServer, env: Env): void {
  server.headersTimeout = env.HTTP_HEADERS_TIMEOUT_MS;
  server.requestTimeout = env.HTTP_REQUEST_TIMEOUT_MS;
  server.connectionsCheckingInterval = CHECK_EVERY_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  // Above our own limit, which answers instead of dropping.
  server.maxHeadersCount = 20 * MAX_HEADERS;
  // Likewise: `oneHost` says what is missing.
  server.requireHostHeader = false;
  // An expectation that we do not know may be passed over (RFC 9110, 10.1.1); Node would answer with an empty 417.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', answerClientError);
}
