/**
 * Jobs: the life of a capture from acceptance to its final state: rows, the queue that hints at them, the signals
 * between processes. The row is the truth; the queue may be wiped at any moment. It never renders a page.
 */
export { AcceptanceTransactionService } from './acceptance/acceptance-transaction.service.js';
export type { Accepted } from './acceptance/acceptance.service.js';
export type { Idempotency, Submission } from './acceptance/submission.js';
export { AttemptsService, LEASE_RENEWAL_MS, type FailureOutcome } from './running/attempts.service.js';
export { AccountingAuditService, type Findings } from './upkeep/accounting-audit.service.js';
export { BatchRowExportRepository, type ExportedRow } from './batches/batch-row-export.repository.js';
export { BatchRowQueryRepository, type FailedRow, type Pace } from './batches/batch-row-query.repository.js';
export { hasRows, selectRowSummary } from './batches/batch-row-sql.js';
export { BatchRowRepository, type BatchOrigin } from './batches/batch-row.repository.js';
export { BatchCancellationService } from './batches/batch-cancellation.service.js';
export { isBillable, toCaptureRecord, type CaptureRecord } from './job/capture-record.js';
export { JobDeletionService, type DeletionRequest } from './history/job-deletion.service.js';
export { DispatcherService } from './dispatch/dispatcher.service.js';
export { JobExpiryModule } from './upkeep/job-expiry.module.js';
export {
  JobExpiryRepository,
  type AgedRecord,
  type EndedJob,
  type ExpiringFile,
  type Page,
} from './upkeep/job-expiry.repository.js';
export { decodeCursor, type Cursor } from './history/cursor.js';
export { JobHistoryModule } from './history/job-history.module.js';
export type { JobFilter } from './history/history-page.js';
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
export { fingerprintOf, RunningFingerprint } from './acceptance/fingerprint.js';
export { IdempotencyKeyRepository, type StoredKey } from './acceptance/idempotency-key.repository.js';
export { assertRepeats, subjectIsGone } from './acceptance/repetition.js';
export { toJobRecord, type JobRecord } from './job/job-record.js';
export { batchDownloadPath, batchResultsPath, captureResultPath } from './job/resource-paths.js';
export { Job } from './job/job.entity.js';
export {
  CANCEL_REASONS,
  isFinal,
  JOB_SOURCES,
  JOB_STATUSES,
  type CancelReason,
  type FinalStatus,
  type JobSource,
  type JobStatus,
} from './job/job-state.js';
export { JobBacklogRepository, type Backlog } from './dispatch/job-backlog.repository.js';
export type { Attempt, Failure, StoredFile } from './job/job.repository.js';
export { JobsModule } from './jobs.module.js';
export { JobsService } from './jobs.service.js';
export { migrateQueue } from './queue/backend.js';
export { JobQueueService } from './queue/job-queue.service.js';
export { backgroundSlots, LANE_SETTINGS, LANES, type Lane, type QueueEntry } from './queue/queues.js';
export { RecoveryService } from './upkeep/recovery.service.js';
export { resultKeyOf, resultKeysOf, type AttemptedJob } from './job/result-files.js';
export { JobSignalsService } from './signals/job-signals.service.js';
export { JobWatchService, standingOf } from './signals/job-watch.service.js';
export { Watchers, type Tell } from './signals/watchers.js';
export { QueuePositionRepository } from './dispatch/queue-position.repository.js';
export { WorkerRegistryService } from './dispatch/worker-registry.service.js';
