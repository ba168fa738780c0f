import { Module } from '@nestjs/common';
import { BrowserModule, BrowserPool } from '@app/browser';
import { CaptureEngine } from '@app/capture/engine';
import { Env } from '@app/config';
import { JobsModule } from '@app/jobs';
import { Clock, SystemClock } from '@app/kernel';
import { EgressHints, OutboundModule } from '@app/outbound';
import { StorageModule } from '@app/storage';
import { SlotGauges } from '../metrics/slot-gauges.js';
import { WorkerMetricsModule } from '../metrics/worker-metrics.module.js';
import { WorkerIdentity } from '../worker-identity.js';
import { CaptureFiles } from './capture-files.js';
import { BackgroundProcessor, InteractiveProcessor } from './capture.processor.js';
import { EgressModule } from './egress.module.js';
import { Lanes } from './lanes.service.js';
import { RunCapture } from './run-capture.service.js';
import { RunningCaptures } from './running-captures.js';
import { StoreWatch } from './store-watch.js';

@Module({
  imports: [
    BrowserModule.through(EgressModule),
    JobsModule,
    OutboundModule,
    StorageModule,
    WorkerMetricsModule,
  ],
  providers: [
    CaptureFiles,
    BackgroundProcessor,
    InteractiveProcessor,
    Lanes,
    RunCapture,
    RunningCaptures,
    SlotGauges,
    StoreWatch,
    WorkerIdentity,
    { provide: Clock, useClass: SystemClock },
    {
      provide: CaptureEngine,
      inject: [BrowserPool, EgressHints, Env],
      useFactory: (pool: BrowserPool, hints: EgressHints, env: Env) =>
        new CaptureEngine(pool, {
          maxBytes: env.RESULT_MAX_BYTES,
          onForbidden: (address) => {
            hints.refused(address, 'resolved');
          },
        }),
    },
  ],
  exports: [BrowserModule, Lanes, WorkerIdentity],
})
export class CapturesModule {}
