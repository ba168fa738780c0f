/**
 * Jobs: the life of a capture from acceptance to its final state: rows, the queue that hints at them, the signals
 * between processes. The row is the truth; the queue may be wiped at any moment. It never renders a page.
 */
export { AcceptingTransaction } from './acceptance/accepting-transaction.js';
export type { Accepted } from './acceptance/acceptance.service.js';
export type { Idempotency, Submission } from './acceptance/submission.js';
export { Attempts, LEASE_RENEWAL_MS, type FailureOutcome } from './attempts.service.js';
export { Audit, type Findings } from './audit.service.js';
export { BatchRows, type BatchOrigin, type FailedRow } from './batches/batch-rows.repository.js';
export { BatchCancellation } from './batches/batch-cancellation.service.js';
export { isBillable, toCaptureRecord, type CaptureRecord } from './capture-record.js';
export { JobDeletion, type DeletionRequest } from './deletion/job-deletion.service.js';
export { Dispatcher } from './dispatch/dispatcher.service.js';
export { JobExpiryModule } from './expiry/job-expiry.module.js';
export {
  JobExpiry,
  type AgedRecord,
  type EndedJob,
  type ExpiringFile,
  type Page,
} from './expiry/job-expiry.repository.js';
export { decodeCursor, type Cursor } from './history/cursor.js';
export { JobHistoryModule } from './history/job-history.module.js';
export type { JobFilter } from './history/history-page.js';
export { JobHistory, type JobPage } from './history/job-history.repository.js';
export {
  JobStats,
  noCounts,
  STATS_BUCKETS,
  type Counts,
  type Stats,
  type StatsBucket,
} from './history/job-stats.repository.js';
export { JobSums } from './history/job-sums.repository.js';
export type { Percentiles } from './history/latency.js';
export { fingerprintOf, RunningFingerprint } from './idempotency/fingerprint.js';
export { IdempotencyKeys, type StoredKey } from './idempotency/idempotency.repository.js';
export { assertRepeats, subjectIsGone } from './idempotency/repetition.js';
export { toJobRecord, type JobRecord } from './job-record.js';
export { Job } from './job.entity.js';
export {
  CANCEL_REASONS,
  isFinal,
  JOB_SOURCES,
  JOB_STATUSES,
  type CancelReason,
  type FinalStatus,
  type JobSource,
  type JobStatus,
} from './job-state.js';
export { JobBacklog, type Backlog } from './job-backlog.repository.js';
export type { Attempt, Failure, StoredFile } from './job.repository.js';
export { JobsModule } from './jobs.module.js';
export { JobsService } from './jobs.service.js';
export { migrateQueue } from './queue/backend.js';
export { JobQueue } from './queue/job-queue.js';
export { backgroundSlots, LANE_SETTINGS, LANES, type Lane, type QueueEntry } from './queue/queues.js';
export { Recovery } from './recovery.service.js';
export { resultKeyOf, resultKeysOf, type AttemptedJob } from './result-files.js';
export { JobSignals } from './signals/job-signals.js';
export { JobWatch, standingOf } from './signals/job-watch.js';
export { Watchers, type Tell } from './signals/watchers.js';
export { WaitingLine } from './waiting-line.repository.js';
export { WorkerRegistry } from './workers/worker-registry.js';
