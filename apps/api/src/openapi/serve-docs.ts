import type { NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { buildOpenApi, type DocumentParts } from './document.js';

/** The reference loads its scripts from this server only. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  // "Try it out" shows a captured picture from a blob URL.
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Overrides Swagger UI's style: no bar with its name, calmer type, more space. */
const CSS = `
.swagger-ui .topbar { display: none }
body { background: #fbfbfa }
.swagger-ui, .swagger-ui .info .title, .swagger-ui .opblock-tag, .swagger-ui .opblock .opblock-summary-description {
  font-family: system-ui, -apple-system, 'Segoe UI', sans-serif; color: #1c2430 }
.swagger-ui .wrapper { max-width: 1100px }
.swagger-ui .info { margin: 32px 0 16px }
.swagger-ui .scheme-container { background: none; box-shadow: none; padding: 0 0 16px }
.swagger-ui .opblock { border-radius: 8px; box-shadow: none }
.swagger-ui .opblock .opblock-summary-method { border-radius: 6px; text-shadow: none }
.swagger-ui .info pre > code { display: block; padding: 12px 16px; border-radius: 8px }
.swagger-ui .markdown code, .swagger-ui .renderedMarkdown code { color: #1c2430; font-weight: 500 }
`;

/** Serves the reference at /docs and the document at /docs/openapi.json. */
export function serveDocs(app: NestExpressApplication, parts: DocumentParts): void {
  app.use('/docs', (_request: Request, response: Response, next: NextFunction) => {
    response.setHeader('Content-Security-Policy', POLICY);
    // The same for every caller: a browser may keep it, and revalidates it.
    response.setHeader('Cache-Control', 'no-cache');
    next();
  });
  SwaggerModule.setup('docs', app, () => buildOpenApi(app, parts), {
    jsonDocumentUrl: 'docs/openapi.json',
    raw: ['json'],
    customSiteTitle: 'Capture Service',
    customCss: CSS,
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
