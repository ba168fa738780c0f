import { Module } from '@nestjs/common';
import { BrowserModule, BrowserPool } from '@app/browser';
import { CaptureEngine } from '@app/capture/engine';
import { Env } from '@app/config';
import { JobsModule } from '@app/jobs';
import { StorageModule } from '@app/storage';
import { WorkerIdentity } from '../worker-identity.js';
import { CaptureProcessor } from './capture.processor.js';
import { EgressModule } from './egress.module.js';
import { RunCapture } from './run-capture.service.js';
import { RunningCaptures } from './running-captures.js';

@Module({
  imports: [BrowserModule.through(EgressModule), JobsModule, StorageModule],
  providers: [
    CaptureProcessor,
    RunCapture,
    RunningCaptures,
    WorkerIdentity,
    {
      provide: CaptureEngine,
      inject: [BrowserPool, Env],
      useFactory: (pool: BrowserPool, env: Env) =>
        new CaptureEngine(pool, { maxBytes: env.RESULT_MAX_BYTES }),
    },
  ],
  exports: [BrowserModule, WorkerIdentity],
})
export class CapturesModule {}
