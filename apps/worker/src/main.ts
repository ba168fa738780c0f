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
    abortOnError: false,
  });
  app.useLogger(app.get(Logger));
  app.disable('x-powered-by');
  // Only the probes are served here.
  await app.listen(env.WORKER_PORT, env.WORKER_HOST);
  return app;
});
