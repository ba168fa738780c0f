import { noFacts, noFileFacts, nothingBlocked } from '@app/capture';
import { boundText } from '@app/kernel';
import {
  JobDispatchModule,
  JobQueueModule,
  JobRunningModule,
  JobSignalsModule,
  JobsModule,
  JobUpkeepModule,
  migrateQueue,
  type Success,
} from '@app/jobs';
import { UsageModule } from '@app/usage';
import { startModules, type ModulesToStart, type StartedModules } from './modules.js';

/** The modules through which a job passes from its acceptance to its end. */
const JOB_MODULES = [
  JobsModule,
  JobDispatchModule,
  JobQueueModule,
  JobRunningModule,
  JobSignalsModule,
  JobUpkeepModule,
  UsageModule,
];

/** Starts everything that accepts, dispatches and ends jobs, with the test in the place of the API and the worker. */
export function startJobs({ imports = [], ...more }: ModulesToStart = {}): Promise<StartedModules> {
  return startModules({ ...more, prepare: migrateQueue, imports: [...JOB_MODULES, ...imports] });
}

const SHOWN = { width: 1280, height: 800, pageHeight: 2_000 };

/** What a worker reports of a capture that succeeded. */
export const SUCCESS: Success = {
  facts: {
    ...noFacts(),
    ...SHOWN,
    finalUrl: boundText('url', 'https://example.com/final?q=ü'),
    httpStatus: 200,
    title: boundText('title', 'Example Domain'),
    blocked: { ...nothingBlocked(), rules: 1 },
    failedRequests: 2,
    verdict: { kind: 'page', evidence: [] },
  },
  files: [
    {
      name: 'result',
      format: 'png',
      key: 'captures/x/1.png',
      contentType: 'image/png',
      bytes: 5,
      sha256: 'ab',
      ...noFileFacts(),
      ...SHOWN,
    },
  ],
  change: null,
  timings: {
    queue_ms: 3,
    prepare_ms: 2,
    navigate_ms: 120,
    settle_ms: 0,
    render_ms: 60,
    store_ms: 2,
    total_ms: 187,
  },
  ttlS: 3_600,
};
