/**
 * Bulk: many captures from one JSON or CSV. It reads and checks the rows, stores them as jobs of one batch, and tells how
 * far they are and what became of them. It runs nothing: a row's life is that of any job.
 */
export { toBatchRecord, type BatchOutlook, type BatchRecord } from './batch-record.js';
export { BatchBacklogRepository, type Backlog } from './batch-backlog.repository.js';
export { BATCH_STATUSES, isOver, UNFINISHED, type BatchStatus } from './batch-state.js';
export { Batch } from './batch.entity.js';
export { BatchesService } from './batches.service.js';
export { BulkModule } from './bulk.module.js';
export { BatchPaceRepository } from './following/batch-pace.repository.js';
export { BatchWatchService } from './following/batch-watch.service.js';
export { standingOfBatch } from './following/standing.js';
export { MAX_BYTES, MAX_FAULTS, MAX_ROWS } from './limits.js';
export { BatchReaderService } from './reading/batch-reader.service.js';
export type { BadRow, CheckedRow, GoodRow } from './reading/checked-row.js';
export type { Reading } from './reading/reading.js';
export type { Given } from './reading/row-checker.js';
export { FailedRowsService } from './reading/failed-rows.service.js';
export { BatchExportRepository } from './results/batch-export.repository.js';
export {
  BatchResultsRepository,
  type ResultsPage,
  type ResultsRequest,
} from './results/batch-results.repository.js';
export { RESULT_COLUMNS, writeResults, type ResultRow } from './results/results-csv.js';
export { decodeRowCursor } from './results/row-cursor.js';
export { BatchAcceptanceService } from './storing/batch-acceptance.service.js';
export {
  ON_INVALID,
  type AcceptedBatch,
  type BatchOutcome,
  type BatchRequest,
  type DryRunVerdict,
  type OnInvalid,
} from './batch-request.js';
export { BatchAnnouncerService } from './upkeep/batch-announcer.service.js';
export { BatchAuditService } from './upkeep/batch-audit.service.js';
export type { Difference } from './upkeep/batch-counts.repository.js';
export { BatchExpiryRepository } from './upkeep/batch-expiry.repository.js';
export { BatchUpkeepModule } from './upkeep/batch-upkeep.module.js';
