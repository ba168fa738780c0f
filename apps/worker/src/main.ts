import 'reflect-metadata';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';
import { BrowserPoolService } from '@app/browser';
import type { Env } from '@app/config';
import { migrateQueue } from '@app/jobs';
import { collectBuffersWithTheHeap, listen, runProcess } from '@app/process';
import { RunningCapturesService } from './captures/running-captures.service.js';
import { WorkerModule } from './worker.module.js';

collectBuffersWithTheHeap();
await runProcess({ service: 'capture-service-worker', start, abandon });

async function start(env: Env): Promise<INestApplication> {
  await migrateQueue(env);
  const app = await NestFactory.create<NestExpressApplication>(WorkerModule.forEnvironment(env), {
    bufferLogs: true,
    // runProcess reports a failed start; Nest would print its stack in addition.
    autoFlushLogs: false,
    abortOnError: false,
  });
  const logger = app.get(Logger);
  app.useLogger(logger);
  app.flushLogs();
  // A hostile page can bring Puppeteer's event handlers into unexpected states. What they throw must not end the other
  // captures; the capture of that page ends by its own limits.
  process.on('unhandledRejection', (err) => {
    logger.error({ err }, 'unhandled promise rejection');
  });
  app.disable('x-powered-by');
  // Only the probes are served here.
  await listen(app, { host: env.WORKER_HOST, port: env.WORKER_PORT, variable: 'WORKER_PORT' });
  return app;
}

/** Hands captures back, so that they do not count as lost, and leaves neither browsers nor their folders behind. */
async function abandon(app: INestApplication): Promise<void> {
  const captures = app.get(RunningCapturesService, { strict: false });
  const browsers = app.get(BrowserPoolService, { strict: false });
  await Promise.all([captures.stopAll(), browsers.close()]);
}
