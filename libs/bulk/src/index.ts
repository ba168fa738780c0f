/**
 * Bulk: many captures from one JSON or CSV. It reads and checks the rows, stores them as jobs of one batch, and tells how
 * far they are and what became of them. It runs nothing: a row's life is that of any job.
 */
export { toBatchRecord, type BatchOutlook, type BatchRecord } from './batch-record.js';
export { BatchBacklog, type Backlog } from './batch-backlog.repository.js';
export { BATCH_STATUSES, isOver, UNFINISHED, type BatchStatus } from './batch-state.js';
export { Batch } from './batch.entity.js';
export { BatchesService } from './batches.service.js';
export { BulkModule } from './bulk.module.js';
export { BatchPace } from './following/batch-pace.repository.js';
export { BatchWatch } from './following/batch-watch.js';
export { standingOfBatch } from './following/standing.js';
export { MAX_BYTES, MAX_FAULTS, MAX_ROWS } from './limits.js';
export { BatchReader } from './reading/batch-reader.service.js';
export type { BadRow, CheckedRow, GoodRow } from './reading/checked-row.js';
export type { Reading } from './reading/reading.js';
export type { Given } from './reading/row-checker.js';
export { FailedRows } from './reading/failed-rows.service.js';
export { BatchExport } from './results/batch-export.repository.js';
export { BatchResults, type ResultsPage, type ResultsRequest } from './results/batch-results.repository.js';
export { RESULT_COLUMNS, writeResults, type ResultRow } from './results/results-csv.js';
export { decodeRowCursor } from './results/row-cursor.js';
export { BatchAcceptance } from './storing/batch-acceptance.service.js';
export {
  ON_INVALID,
  type AcceptedBatch,
  type BatchOutcome,
  type BatchSubmission,
  type DryRunVerdict,
  type OnInvalid,
} from './submission.js';
export { BatchAnnouncer } from './upkeep/batch-announcer.js';
export { BatchAudit } from './upkeep/batch-audit.js';
export type { Difference } from './upkeep/batch-counts.repository.js';
export { BatchExpiry } from './upkeep/batch-expiry.repository.js';
export { BatchUpkeepModule } from './upkeep/batch-upkeep.module.js';
