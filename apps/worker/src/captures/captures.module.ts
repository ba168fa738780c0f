import { Module } from '@nestjs/common';
import { BrowserModule, BrowserPoolService } from '@app/browser';
import { CaptureEngine } from '@app/capture/engine';
import { Env } from '@app/config';
import { FilterListsService, FiltersModule } from '@app/filters';
import { JobModule, JobQueueModule, JobRunningModule, JobSignalsModule, LogInsModule } from '@app/jobs';
import { EgressHints, OutboundModule } from '@app/outbound';
import { SessionsModule } from '@app/sessions';
import { StorageModule } from '@app/storage';
import { ComparisonService } from '../comparison/comparison.service.js';
import { OdiffService } from '../comparison/odiff.service.js';
import { TextComparisonService } from '../comparison/text-comparison.service.js';
import { SlotMetrics } from '../metrics/slot.metrics.js';
import { WorkerMetricsModule } from '../metrics/worker-metrics.module.js';
import { WorkerIdentity } from '../worker-identity.js';
import { CaptureFilesService } from './capture-files.service.js';
import { CaptureRunnerService } from './capture-runner.service.js';
import { EgressModule } from './egress.module.js';
import { JobCaptureService } from './job-capture.service.js';
import { LanesService } from './lanes.service.js';
import { RunningCapturesService } from './running-captures.service.js';
import { SessionCaptureService } from './session-capture.service.js';
import { StoreWatchService } from './store-watch.service.js';

/** Takes captures from the queue and runs them. */
@Module({
  imports: [
    BrowserModule.withEgress(EgressModule),
    FiltersModule,
    JobModule,
    JobQueueModule,
    JobRunningModule,
    JobSignalsModule,
    LogInsModule,
    OutboundModule,
    SessionsModule,
    StorageModule,
    WorkerMetricsModule,
  ],
  providers: [
    CaptureFilesService,
    CaptureRunnerService,
    ComparisonService,
    JobCaptureService,
    LanesService,
    OdiffService,
    RunningCapturesService,
    SessionCaptureService,
    SlotMetrics,
    StoreWatchService,
    TextComparisonService,
    WorkerIdentity,
    {
      provide: CaptureEngine,
      inject: [BrowserPoolService, EgressHints, Env, FilterListsService],
      useFactory: makeEngine,
    },
  ],
  exports: [BrowserModule, LanesService, WorkerIdentity],
})
export class CapturesModule {}

function makeEngine(
  ...[pool, hints, env, lists]: [BrowserPoolService, EgressHints, Env, FilterListsService]
): CaptureEngine {
  return new CaptureEngine(pool, {
    maxBytes: env.RESULT_MAX_BYTES,
    filters: () => lists.current(),
    onForbidden: (address) => {
      hints.refused(address, 'resolved');
    },
  });
}
