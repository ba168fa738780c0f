import 'reflect-metadata';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';
import type { Env } from '@app/config';
import { migrateQueue } from '@app/jobs';
import { listen, runProcess } from '@app/process';
import { API_DOCS } from './api.docs.js';
import { ApiModule } from './api.module.js';
import { serveConsole } from './console/serve-console.js';
import { serveDocs } from './openapi/serve-docs.js';
import { configureHttp } from './http/configure-http.js';

await runProcess({ service: 'capture-service-api', start });

async function start(env: Env): Promise<INestApplication> {
  await migrateQueue(env);
  const app = await NestFactory.create<NestExpressApplication>(ApiModule.forEnvironment(env), {
    bufferLogs: true,
    // runProcess reports a failed start; Nest would print its stack as well.
    autoFlushLogs: false,
    abortOnError: false,
    bodyParser: false,
  });
  app.useLogger(app.get(Logger));
  app.flushLogs();
  configureHttp(app);
  if (env.DOCS) serveDocs(app, API_DOCS);
  serveConsole(app);
  await listen(app, { host: env.HOST, port: env.PORT, variable: 'PORT' });
  return app;
}
