/**
 * Bulk: many captures from one JSON or CSV body. It parses and validates the rows, stores them as the jobs of one batch,
 * and reports their progress and results. It runs nothing: a row is a job like any other.
 */
export { BatchAcceptanceService } from './acceptance/batch-acceptance.service.js';
export {
  ON_INVALID,
  type AcceptedBatch,
  type BatchOutcome,
  type BatchRequest,
  type DryRunReport,
  type OnInvalid,
} from './acceptance/batch-request.js';
export { BatchBacklogRepository, type Backlog, type UnfinishedBatch } from './batch-backlog.repository.js';
export { BatchHistoryRepository, type BatchFilter, type BatchPage } from './batch-history.repository.js';
export { toBatchRecord, type BatchOutlook, type BatchRecord } from './batch-record.js';
export { BATCH_STATUSES, isOver, UNFINISHED, type BatchStatus } from './batch-state.js';
export type { Batch } from './batch.entity.js';
export { BatchesService } from './batches.service.js';
export { BulkModule } from './bulk.module.js';
export { assertDefaultsFit } from './acceptance/spool.js';
export { MAX_BAD_ROWS, MAX_BYTES, MAX_FAULTS, MAX_ROWS, tooManyRows } from './limits.js';
export { BatchFeedModule } from './feeding/batch-feed.module.js';
export { BatchFeedService } from './feeding/batch-feed.service.js';
export { PortionReaderService } from './feeding/portion-reader.service.js';
export { BatchReaderService } from './parsing/batch-reader.service.js';
export { FailedRowsService } from './parsing/failed-rows.service.js';
export type { BadRow, CheckedRow, GoodRow, RawOptions, SenderFaults } from './parsing/row-checker.js';
export { BatchEtaService } from './progress/batch-eta.service.js';
export { BatchWatchService, versionOfBatch } from './progress/batch-watch.service.js';
export {
  BatchResultsService,
  decodeRowCursor,
  type ResultsPage,
  type ResultsRequest,
} from './results/batch-results.service.js';
export { RESULT_COLUMNS, ResultsCsvService } from './results/results-csv.service.js';
export { BatchAnnouncerService } from './upkeep/batch-announcer.service.js';
export { BatchAuditService } from './upkeep/batch-audit.service.js';
export { BatchExpiryRepository } from './upkeep/batch-expiry.repository.js';
export { BatchUpkeepModule } from './upkeep/batch-upkeep.module.js';
