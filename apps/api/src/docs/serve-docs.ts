import type { NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { buildOpenApi } from './document.js';
import { DOCS_CSS } from './docs-style.js';

/** The reference loads its own scripts from this server and nothing from elsewhere. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  // A picture that was captured by "Try it out" is shown from a blob of the page's own.
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the reference at /docs and the document at /docs/openapi.json. */
export function serveDocs(app: NestExpressApplication): void {
  app.use('/docs', (_request: Request, response: Response, next: NextFunction) => {
    response.setHeader('Content-Security-Policy', POLICY);
    // The same for everybody: a browser keeps it and asks whether it has changed.
    response.setHeader('Cache-Control', 'no-cache');
    next();
  });
  SwaggerModule.setup('docs', app, () => buildOpenApi(app), {
    jsonDocumentUrl: 'docs/openapi.json',
    raw: ['json'],
    customSiteTitle: 'Capture Service',
    customCss: DOCS_CSS,
    swaggerOptions: {
      deepLinking: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      defaultModelExpandDepth: 2,
      displayRequestDuration: true,
      persistAuthorization: true,
      tryItOutEnabled: true,
      validatorUrl: null,
    },
  });
}
