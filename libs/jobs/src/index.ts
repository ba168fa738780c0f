/**
 * Jobs: the life of a capture from acceptance to its final state: the rows, the queue of hints at them, and the signals
 * between processes. The row is the truth; the queue may be lost at any moment. This library never renders a page.
 */
export { JobsModule } from './jobs.module.js';
export { JobsService } from './jobs.service.js';

export {
  cacheReportOf,
  isBillable,
  toCaptureRecord,
  type CacheReport,
  type CaptureRecord,
  type FileRecord,
} from './job/capture-record.js';
export { FileLinksService, type LinkedFile } from './job/file-links.service.js';
export { EarlierCaptureRepository } from './job/earlier-capture.repository.js';
export { earlierOutput } from './job/earlier-file.js';
export { EndedJobRepository } from './job/ended-job.repository.js';
export { Job } from './job/job.entity.js';
export { hasEnded } from './job/job-sql.js';
export { JobModule } from './job/job.module.js';
export { toJobRecord, type JobRecord } from './job/job-record.js';
export type { Attempt, Failure, Success } from './job/job.repository.js';
export {
  CACHE_OUTCOMES,
  CANCEL_REASONS,
  isFinal,
  JOB_SOURCES,
  JOB_STATUSES,
  type CacheAnswer,
  type CacheStatus,
  type CancelReason,
  type FinalStatus,
  type JobSource,
  type JobStatus,
} from './job/job-state.js';
export type { Page } from './job/page.js';
export type { StoredFile } from './job/capture-files.js';
export { QueuePositionRepository } from './job/queue-position.repository.js';
export {
  batchDownloadPath,
  batchResultsPath,
  captureFilePath,
  captureResultPath,
  LINKED_FILES_PATH,
  crawlPagesPath,
} from './job/resource-paths.js';
export {
  attemptKeysOf,
  filesOf,
  resultKeysOf,
  unnamedKeysOf,
  type AttemptedJob,
  type JobFile,
} from './job/result-files.js';
export { ResultLifeRepository } from './job/result-life.repository.js';
export { Submission } from './job/submission.entity.js';

export {
  JobBacklogRepository,
  type AccountBacklog,
  type Backlog,
  type NextInLanes,
} from './queue/job-backlog.repository.js';
export {
  MAX_ACCOUNTS,
  QueueOverviewRepository,
  type InFlightForHost,
  type RunningJob,
  type WaitingForHost,
  type WaitingOfAccount,
} from './queue/queue-overview.repository.js';
export { JobQueueModule } from './queue/job-queue.module.js';
export { JobQueue, type EntryHandler, type LaneConsumer } from './queue/job-queue.js';
export { backgroundSlots, LANE_OF, LANES, type Lane } from './queue/lanes.js';
export { MemoryJobQueue } from './queue/memory-job-queue.js';
export { migrateQueue } from './queue/queue-connection.js';

export { JobSignalsModule } from './signals/job-signals.module.js';
export { JobSignalsService } from './signals/job-signals.service.js';
export { JobWatchModule } from './signals/job-watch.module.js';
export { LivePhasesService } from './signals/live-phases.service.js';
export { PhaseReportsService, type ReportPhase } from './signals/phase-reports.service.js';
export { JobWatchService, versionOf } from './signals/job-watch.service.js';
export { Watchers, type ChangeListener, type EndWait } from './signals/watchers.js';

export { LogInsModule } from './log-ins/log-ins.module.js';
export { LogInsService } from './log-ins/log-ins.service.js';

export { AcceptanceTransactionService } from './acceptance/acceptance-transaction.service.js';
export type { Accepted } from './acceptance/acceptance.service.js';
export { ComparisonCheckService } from './acceptance/comparison-check.service.js';
export { fingerprintOf, RunningFingerprint } from './acceptance/fingerprint.js';
export { IdempotencyKeyModule } from './acceptance/idempotency-key.module.js';
export { IdempotencyKeyRepository, type StoredKey } from './acceptance/idempotency-key.repository.js';
export { assertSameRequest, subjectIsGone, type Idempotency } from './acceptance/idempotency.js';
export { IntakeService } from './acceptance/intake.service.js';
export { JobAcceptanceModule } from './acceptance/job-acceptance.module.js';
export { JobIntakeModule } from './acceptance/job-intake.module.js';
export type { JobRequest, NewJob } from './acceptance/new-job.js';
export { AccountRoomService } from './acceptance/account-room.service.js';
export { NewJobFactory } from './acceptance/new-job.factory.js';

export { DispatcherService } from './dispatch/dispatcher.service.js';
export { pickFairly, type InFlight } from './dispatch/fair-pick.js';
export { JobDispatchModule } from './dispatch/job-dispatch.module.js';
export { listOutdatedPriorities, type DispatchedJob } from './dispatch/job-priorities.js';
export { RunnableJobsModule } from './dispatch/runnable-jobs.module.js';
export { RunnableJobsService } from './dispatch/runnable-jobs.service.js';
export { WORKER_STATES, type WorkerOutage, type WorkerState } from './workers/worker-heartbeat.entity.js';
export type { LiveWorker } from './workers/worker-heartbeat.repository.js';
export { parseWorkerName, type WorkerName } from './workers/worker-name.js';
export { WorkerRegistryModule } from './workers/worker-registry.module.js';
export { takesCaptures, WorkerRegistryService } from './workers/worker-registry.service.js';

export {
  AttemptsService,
  LEASE_RENEWAL_MS,
  UnknownFeaturesError,
  type FailureOutcome,
} from './running/attempts.service.js';
export { queueTimesOf } from './running/queue-times.js';
export { JobRunningModule } from './running/job-running.module.js';

export { BatchCancellationService } from './batches/batch-cancellation.service.js';
export {
  BatchRowExportRepository,
  type ExportedRow,
  type RowFile,
  type RowWithFiles,
} from './batches/batch-row-export.repository.js';
export { BatchRowQueryRepository, type FailedRow, type Pace } from './batches/batch-row-query.repository.js';
export { hasRows, selectRowSummary } from './batches/batch-row-sql.js';
export { BatchRowRepository, type BatchOrigin } from './batches/batch-row.repository.js';
export { RowOutcomeRepository, type RowOutcome } from './batches/row-outcome.repository.js';
export { JobBatchesModule } from './batches/job-batches.module.js';

export { cacheLifeS, nameOfDemand, type CacheDemand } from './cache/cache-demand.service.js';
export { JobCacheModule } from './cache/job-cache.module.js';
export { JobCacheService, type AnsweredRows } from './cache/job-cache.service.js';
export { KeptCaptureRepository } from './cache/kept-capture.repository.js';
export { RenewalService } from './cache/renewal.service.js';
export { SettlementService } from './cache/settlement.service.js';
export { SharedFilesRepository, type SharedFiles } from './cache/shared-files.repository.js';
export { SyncCacheService, type AnsweringCapture, type CacheUse } from './cache/sync-cache.service.js';

export { AccountingAuditService } from './upkeep/accounting-audit.service.js';
export { AccountJobsRepository } from './upkeep/account-jobs.repository.js';
export { AccountJobsService } from './upkeep/account-jobs.service.js';
export { JobExpiryModule } from './upkeep/job-expiry.module.js';
export {
  JobExpiryRepository,
  type AgedRecord,
  type EndedJob,
  type ExpiringFile,
} from './upkeep/job-expiry.repository.js';
export { JobUpkeepModule } from './upkeep/job-upkeep.module.js';
export { RecoveryService } from './upkeep/recovery.service.js';

export type { JobFilter, PageRequest } from './history/history-page.js';
export type { JobSearch } from './history/history-search.js';
export { JobDeletionModule } from './history/job-deletion.module.js';
export { JobDeletionService, type DeletionRequest } from './history/job-deletion.service.js';
export { JobHistoryModule } from './history/job-history.module.js';
export { JobHistoryRepository, type JobPage } from './history/job-history.repository.js';
export {
  JobStatsRepository,
  noCounts,
  STATS_BUCKETS,
  type StatsCounts,
  type Stats,
  type StatsBucket,
} from './history/job-stats.repository.js';
export { JobSumsRepository } from './history/job-sums.repository.js';
export type { Percentiles } from './history/latency.js';
