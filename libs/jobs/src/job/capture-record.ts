import {
  fileFields,
  RECORD_PARTS,
  recordFields,
  type CaptureTimings,
  type FACTS,
  type FileFields,
  type Format,
  type RecordFields,
} from '@app/capture';
import type { ErrorBody } from '@app/kernel';
import type { Job } from './job.entity.js';
import { captureFilePath, captureResultPath } from './resource-paths.js';
import { attemptsOf, CACHE_ANSWERS, type CacheStatus } from './job-state.js';
import { filesOf, type JobFile } from './result-files.js';

/** One file of a capture. */
export interface FileRecord extends FileFields<typeof FACTS> {
  readonly name: string;
  readonly format: Format;
  readonly bytes: number;
  readonly sha256: string;
  /** Null once the file has expired. */
  readonly url: string | null;
}

/** How the cache answered a capture. */
export interface CacheReport {
  /** Null while the capture is queued. */
  readonly status: CacheStatus | 'miss' | null;
  /** Captures with the same key answer for each other, in hex. */
  readonly key: string;
  /** How old the files were when they answered, in seconds. */
  readonly age_s: number | null;
}

/** A capture as callers see it, in responses, lists and webhooks. Fields may be added, never renamed. */
export interface CaptureRecord extends RecordFields<typeof FACTS> {
  readonly id: string;
  readonly source: Job['source'];
  readonly status: Job['status'];
  readonly reference: string | null;
  readonly batch_id: string | null;
  readonly row: number | null;
  readonly url: string | null;
  readonly format: Format;
  readonly bytes: number | null;
  readonly sha256: string | null;
  readonly files: readonly FileRecord[];
  readonly options: Record<string, unknown>;
  readonly attempts: number;
  readonly billable: boolean;
  readonly timings: CaptureTimings | null;
  /** Null unless the capture asked for the cache. */
  readonly cache: CacheReport | null;
  readonly error: ErrorBody | null;
  readonly cancel_reason: Job['cancelReason'];
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly expires_at: string | null;
  readonly deleted_at: string | null;
  readonly result_url: string | null;
}

/** Lists of `page` are left empty unless they have been read (`JobsService.withPageLists`). */
export function toCaptureRecord(job: Job): CaptureRecord {
  return {
    ...identityOf(job),
    ...recordFields(RECORD_PARTS.document, job),
    format: job.format,
    ...recordFields(RECORD_PARTS.file, job),
    // Those of the picture of a failure are shown with that file.
    bytes: job.status === 'failed' ? null : job.bytes,
    sha256: job.status === 'failed' ? null : job.sha256,
    files: filesOf(job).map((file) => toFileRecord(job, file)),
    options: withShortHtml(job.options),
    attempts: attemptsOf(job),
    billable: isBillable(job),
    timings: job.timings,
    ...recordFields(RECORD_PARTS.reports, job),
    cache: cacheReportOf(job),
    error: job.error,
    cancel_reason: job.cancelReason,
    created_at: job.createdAt.toISOString(),
    started_at: job.startedAt?.toISOString() ?? null,
    finished_at: job.finishedAt?.toISOString() ?? null,
    expires_at: job.expiresAt?.toISOString() ?? null,
    deleted_at: job.deletedAt?.toISOString() ?? null,
    result_url: job.status === 'succeeded' && hasFile(job) ? captureResultPath(job.id) : null,
  };
}

function toFileRecord(job: Job, file: JobFile): FileRecord {
  return {
    name: file.name,
    format: file.format,
    bytes: file.bytes,
    sha256: file.sha256,
    ...fileFields(file),
    url: hasFile(job) ? captureFilePath(job.id, file.name) : null,
  };
}

/** Longer `html` is cut: pages of 1 MB would make lists and webhooks as large as files. */
const SHOWN_HTML_CHARACTERS = 1_000;

function withShortHtml(options: Job['options']): Job['options'] {
  const { html } = options;
  if (typeof html !== 'string' || html.length <= SHOWN_HTML_CHARACTERS) return options;
  return { ...options, html: `${html.slice(0, SHOWN_HTML_CHARACTERS).toWellFormed()}…` };
}

/** A deleted capture keeps the key of its file until the store has deleted it. */
function hasFile({ resultKey, deletedAt }: Job): boolean {
  return resultKey !== null && deletedAt === null;
}

/** Only a capture that succeeded with a visit of its own costs a unit of the allowance. */
export function isBillable({ status, cacheStatus }: Job): boolean {
  return status === 'succeeded' && !(CACHE_ANSWERS as readonly unknown[]).includes(cacheStatus);
}

export function cacheReportOf(job: Job): CacheReport | null {
  if (job.cacheKey === null) return null;
  return {
    status: job.cacheStatus ?? (job.status === 'queued' ? null : 'miss'),
    key: job.cacheKey.toString('hex'),
    age_s: job.status === 'succeeded' ? (job.cacheAgeS ?? 0) : null,
  };
}

function identityOf(job: Job) {
  return {
    id: job.id,
    source: job.source,
    status: job.status,
    reference: job.reference,
    batch_id: job.batchId,
    row: job.batchRow,
    url: job.url,
  };
}
