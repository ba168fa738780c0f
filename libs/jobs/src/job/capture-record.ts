import {
  BLOCK_REASONS,
  type BlockedRequests,
  type CaptureTimings,
  type ChangeReport,
  type ConsentReport,
  type OverlayReport,
  type FileFacts,
  type Format,
  type MissingReport,
  type PageMetadata,
  type ReadinessReport,
  type StableReport,
  type Verdict,
} from '@app/capture';
import type { ErrorBody } from '@app/kernel';
import type { Job } from './job.entity.js';
import { pageOf } from './page-columns.js';
import { captureFilePath, captureResultPath } from './resource-paths.js';
import { CACHE_ANSWERS, type CacheStatus } from './job-state.js';
import { filesOf, type JobFile } from './result-files.js';

/** One file of a capture. */
export interface FileRecord {
  readonly name: string;
  readonly format: Format;
  readonly bytes: number;
  readonly sha256: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly pages: number | null;
  readonly page_height: number | null;
  readonly truncated: boolean;
  readonly content: FileFacts['content'];
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
export interface CaptureRecord {
  readonly id: string;
  readonly source: Job['source'];
  readonly status: Job['status'];
  readonly reference: string | null;
  readonly batch_id: string | null;
  readonly row: number | null;
  readonly url: string | null;
  readonly final_url: string | null;
  readonly http_status: number | null;
  readonly title: string | null;
  readonly format: Format;
  readonly width: number | null;
  readonly height: number | null;
  readonly pages: number | null;
  readonly page_height: number | null;
  readonly truncated: boolean | null;
  readonly complete: boolean | null;
  readonly missing: MissingReport | null;
  readonly bytes: number | null;
  readonly sha256: string | null;
  readonly files: readonly FileRecord[];
  readonly options: Record<string, unknown>;
  readonly attempts: number;
  readonly billable: boolean;
  readonly timings: CaptureTimings | null;
  readonly blocked_requests: number;
  readonly blocked: BlockedRequests | null;
  readonly failed_requests: number;
  readonly consent: ConsentReport | null;
  readonly overlays: readonly OverlayReport[] | null;
  readonly readiness: ReadinessReport | null;
  readonly verdict: Verdict | null;
  readonly stable: StableReport | null;
  readonly page: PageMetadata | null;
  readonly change: ChangeReport | null;
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
    ...factsOf(job),
    files: filesOf(job).map((file) => toFileRecord(job, file)),
    options: withShortHtml(job.options),
    attempts: job.attempt,
    billable: isBillable(job),
    timings: job.timings && inOrder(job.timings),
    ...reportsOf(job),
    cache: cacheReportOf(job),
    error: job.error,
    cancel_reason: job.cancelReason,
    created_at: job.createdAt.toISOString(),
    started_at: job.startedAt?.toISOString() ?? null,
    finished_at: job.finishedAt?.toISOString() ?? null,
    expires_at: job.expiresAt?.toISOString() ?? null,
    deleted_at: job.deletedAt?.toISOString() ?? null,
    result_url: hasFile(job) ? captureResultPath(job.id) : null,
  };
}

function toFileRecord(job: Job, file: JobFile): FileRecord {
  return {
    name: file.name,
    format: file.format,
    bytes: file.bytes,
    sha256: file.sha256,
    width: file.width,
    height: file.height,
    pages: file.pages,
    page_height: file.pageHeight,
    truncated: file.truncated,
    content: file.content,
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

/** Restores the order of the fields, which PostgreSQL does not keep. */
function inOrder(timings: CaptureTimings): CaptureTimings {
  const { queue_ms, prepare_ms, navigate_ms, settle_ms, render_ms, store_ms, total_ms } = timings;
  return { queue_ms, prepare_ms, navigate_ms, settle_ms, render_ms, store_ms, total_ms };
}

/** What the visit reports about the page. Each object has its fields in order, which PostgreSQL does not keep. */
function reportsOf({ blockedRequests, blocked, failedRequests, ...job }: Job) {
  return {
    blocked_requests: blockedRequests,
    blocked: blocked && blockedInOrder(blocked),
    failed_requests: failedRequests,
    consent: job.consent && consentInOrder(job.consent),
    overlays: job.overlays,
    readiness: job.readiness && readinessInOrder(job.readiness),
    verdict: job.verdict && { kind: job.verdict.kind, evidence: job.verdict.evidence },
    stable: job.stable && stableInOrder(job.stable),
    page: pageOf(job),
    change: job.change && { ...COMPARED, ...job.change },
  };
}

/** Records of earlier versions do not state it. */
const COMPARED: Pick<ChangeReport, 'failure'> = { failure: null };

function blockedInOrder(blocked: BlockedRequests): BlockedRequests {
  return Object.fromEntries(
    BLOCK_REASONS.map((reason) => [reason, blocked[reason]]),
  ) as unknown as BlockedRequests;
}

function consentInOrder({ manager, action, gone }: ConsentReport): ConsentReport {
  return { manager, action, gone };
}

function readinessInOrder({ by, waited_ms, fonts, ...report }: ReadinessReport): ReadinessReport {
  // Records of earlier versions do not say what was waited for.
  const { waited_for = [], pending, images } = report;
  const { total, pending: left, broken } = images;
  return {
    by,
    waited_ms,
    waited_for,
    pending: pending.map(({ host, type }) => ({ host, type })),
    fonts,
    images: { total, pending: left, broken },
  };
}

function missingInOrder({ reasons, glyphs, frames, images, sections }: MissingReport): MissingReport {
  return {
    reasons,
    glyphs: glyphs.map(({ script, count }) => ({ script, count })),
    frames,
    images,
    sections,
  };
}

function stableInOrder({ agreed, frames, unstable_boxes }: StableReport): StableReport {
  const boxes = unstable_boxes.map(({ x, y, width, height }) => ({ x, y, width, height }));
  return { agreed, frames, unstable_boxes: boxes };
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

function factsOf(job: Job) {
  return {
    final_url: job.finalUrl,
    http_status: job.httpStatus,
    title: job.title,
    format: job.format,
    width: job.width,
    height: job.height,
    pages: job.pages,
    page_height: job.pageHeight,
    truncated: job.truncated,
    complete: job.complete,
    missing: job.missing && missingInOrder(job.missing),
    bytes: job.bytes,
    sha256: job.sha256,
  };
}
