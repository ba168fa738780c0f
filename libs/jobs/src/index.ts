/**
 * Jobs: the life of a capture from acceptance to its final state: rows, the queue that hints at them, the signals
 * between processes. The row is the truth; the queue may be wiped at any moment. It never renders a page.
 */
export { Attempts, LEASE_RENEWAL_MS, type FailureOutcome } from './attempts.service.js';
export { decodeCursor, type Cursor } from './history/cursor.js';
export { JobHistoryModule } from './history/job-history.module.js';
export { JobHistory, type JobFilter, type JobPage } from './history/job-history.repository.js';
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
export { JobRepository, type StoredFile } from './job.repository.js';
export { JobsModule } from './jobs.module.js';
export { JobsService } from './jobs.service.js';
export { migrateQueue } from './queue/backend.js';
export { JobQueue } from './queue/job-queue.js';
export { LANE_SETTINGS, type Lane, type QueueEntry } from './queue/queues.js';
export { JobSignals } from './signals/job-signals.js';
export { WorkerRegistry } from './workers/worker-registry.js';
