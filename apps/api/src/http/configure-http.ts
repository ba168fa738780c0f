import type { Server } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import helmet from 'helmet';
import { answerClientError } from './client-error.js';
import { headerLimit, MAX_HEADERS } from './header-limit.middleware.js';
import { requestId } from './request-id.middleware.js';

/** A client that sends slower than this holds a connection for nothing. */
const HEADERS_WITHIN_MS = 10_000;
const REQUEST_WITHIN_MS = 30_000;
/** Node looks for late clients only this often; its default of 30 s would double the times above. */
const CHECK_EVERY_MS = 2_000;
/** Longer than load balancers keep an idle connection (60 s), so that they close first and never hit a closed one. */
const KEEP_ALIVE_MS = 65_000;

/** Everything about HTTP that holds for every route. To be called before the app listens. */
export function configureHttp(app: NestExpressApplication): void {
  app.disable('x-powered-by');
  // A weak ETag over every JSON body costs a hash and saves nothing; files and devices have their own.
  app.set('etag', false);
  app.use(requestId);
  app.use(headerLimit);
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
  setTimeouts(app.getHttpServer());
}

function setTimeouts(server: Server & { connectionsCheckingInterval?: number }): void {
  server.headersTimeout = HEADERS_WITHIN_MS;
  server.requestTimeout = REQUEST_WITHIN_MS;
  server.connectionsCheckingInterval = CHECK_EVERY_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  // Above our own limit, which answers instead of dropping.
  server.maxHeadersCount = 20 * MAX_HEADERS;
  server.on('clientError', answerClientError);
}
