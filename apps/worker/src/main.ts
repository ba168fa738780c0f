import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';
import { migrateQueue } from '@app/jobs';
import { runProcess } from '@app/process';
import { WorkerModule } from './worker.module.js';

await runProcess(async (env) => {
  await migrateQueue(env);
  const app = await NestFactory.create<NestExpressApplication>(WorkerModule.of(env), {
    bufferLogs: true,
    // A start that fails is told by runProcess; Nest would print its stack, too.
    autoFlushLogs: false,
    abortOnError: false,
  });
  const logger = app.get(Logger);
  app.useLogger(logger);
  app.flushLogs();
  // A hostile page can lead Puppeteer's event handlers into states that they do not expect. What they throw must not end
  // the captures beside it; the capture that is concerned ends by its own limits.
  process.on('unhandledRejection', (err) => {
    logger.error({ err }, 'a promise was rejected and nothing handled it');
  });
  app.disable('x-powered-by');
  // Only the probes are served here.
  await app.listen(env.WORKER_PORT, env.WORKER_HOST);
  return app;
});
