import { Injectable } from '@nestjs/common';
import { FORMATS, hasSeveralFiles, type CaptureOptions } from '@app/capture';
import { cacheReportOf, isFinal, Job, JobsService, toCaptureRecord, type JobRequest } from '@app/jobs';
import { AppError } from '@app/kernel';
import { inSpan } from '@app/tracing';
import type { Request, Response } from 'express';
import { ARCHIVE_TYPE } from '../captures/archive.service.js';
import { CaptureArchiveService } from '../captures/capture-archive.service.js';
import { CaptureFileService } from '../captures/capture-file.service.js';
import { cacheHeaderOf, storedFilesOf } from '../captures/stored-file.js';
import { REVALIDATE, type Caching } from '../http/caching.js';
import { disconnectOf } from '../http/client-disconnect.js';
import { markReplay } from '../http/idempotency.js';
import { JobRecordsService } from '../jobs/job-records.service.js';
import { SyncCapturesService, type SyncOutcome } from './sync-captures.service.js';

/** A capture whose caller waits, and how the answer is sent. */
export interface SyncQuestion {
  readonly request: Omit<JobRequest, 'source'>;
  /** Seconds of `Prefer: wait`. */
  readonly waitS?: number | undefined;
  /** Whether the answer is the file, whatever the request accepts, and caches that several people share may keep it. */
  readonly isPublic?: boolean;
  /** Seconds from now for which a cache may keep the answer at most; without it, as long as the options say. */
  readonly lifeS?: () => number;
  /** Whether a capture that is older than the request allows is better than an error about the account's limits. */
  readonly prefersStale?: boolean;
  /** Called before a capture is submitted, which the cache does not answer; it may refuse the request. */
  readonly beforeVisit?: () => Promise<void>;
}

/** Answers a request for a capture with the file, the record, all files, or the job that is still in progress. */
@Injectable()
export class SyncAnswerService {
  constructor(
    private readonly captures: SyncCapturesService,
    private readonly jobs: JobsService,
    private readonly files: CaptureFileService,
    private readonly archives: CaptureArchiveService,
    private readonly records: JobRecordsService,
  ) {}

  /** @throws AppError of the acceptance, and of a job that failed */
  async answer(question: SyncQuestion, response: Response): Promise<void> {
    const outcome = await this.run(question, response);
    try {
      await this.send(outcome, question, response);
    } catch (error) {
      const isLost = outcome.use !== null && error instanceof AppError && error.code === 'result_expired';
      if (!isLost || outcome.replayed || response.headersSent) throw error;
      // The store has lost the files, or they were deleted a moment ago: the cache must not answer with them again.
      await this.captures.forget(question.request, outcome.job);
      await this.send(await this.run(question, response), question, response);
    }
  }

  private run(
    { request, waitS, prefersStale = false, beforeVisit }: SyncQuestion,
    response: Response,
  ): Promise<SyncOutcome> {
    const waitMs = waitS === undefined ? undefined : waitS * 1_000;
    return this.captures.run(request, {
      waitMs,
      disconnect: disconnectOf(response),
      prefersStale,
      beforeVisit,
    });
  }

  private send(outcome: SyncOutcome, question: SyncQuestion, response: Response): Promise<void> {
    const { job, use } = outcome;
    const facts = { 'capture.id': job.id, 'capture.cache': use?.status };
    return inSpan('capture.answer', { facts }, (span) => {
      // The visit belongs to the trace of another request.
      if (use !== null) span.link(job.traceContext);
      return this.sendAnswer(outcome, question, response);
    });
  }

  private async sendAnswer(outcome: SyncOutcome, question: SyncQuestion, response: Response): Promise<void> {
    if (response.destroyed) return;
    const { options } = question.request;
    const job = asAnswer(outcome, options);
    markReplay(response, outcome.replayed);
    response.set({
      'X-Capture-Id': job.id,
      'X-Cache': cacheHeaderOf({ cache: cacheReportOf(job) }),
    });
    if (question.isPublic !== true) response.vary('Accept, Prefer');
    if (question.waitS !== undefined) response.set('Preference-Applied', `wait=${question.waitS}`);
    if (!isFinal(job.status)) return this.sendJob(job, response);
    const caching = cachingOf(job, question);
    const kind = question.isPublic === true ? 'file' : kindOfAnswer(job, options.response, response.req);
    if (kind === 'file') await this.files.send(job, response, { caching, isRepeated: outcome.use !== null });
    else if (kind === 'zip') await this.archives.send(job, response, caching);
    else await this.sendRecord(job, response, caching);
  }

  private async sendJob(job: Job, response: Response): Promise<void> {
    response
      .status(202)
      .location(`/v1/jobs/${job.id}`)
      .json(await this.records.recordOf(job));
  }

  private async sendRecord(job: Job, response: Response, caching: Caching): Promise<void> {
    // Throws the error of a failed job, which is the answer whatever the caller prefers.
    storedFilesOf(job);
    if (job.cacheKey !== null) response.set(caching);
    response.json(toCaptureRecord(await this.jobs.withPageLists(job)));
  }
}

/** The capture as this request sees it: with its own reference and file name. */
function asAnswer({ job, use }: SyncOutcome, { reference, filename }: CaptureOptions): Job {
  if (!use) return job;
  return Object.assign(new Job(), job, {
    cacheStatus: use.status,
    cacheAgeS: use.ageS,
    reference: reference ?? null,
    options: { ...job.options, reference, filename },
  });
}

/**
 * `max-age` counts from the time of the capture, which `Age` gives (RFC 9111, 4.2; RFC 5861). A caller who does not use the
 * cache must revalidate.
 */
function cachingOf(
  { cacheKey, cacheAgeS }: Job,
  { request: { options }, isPublic, lifeS }: SyncQuestion,
): Caching {
  if (cacheKey === null || options.cache_ttl_s === 0) return REVALIDATE;
  const scope = isPublic === true ? 'public' : 'private';
  const age = cacheAgeS ?? 0;
  const last = age + (lifeS?.() ?? Infinity);
  const fresh = Math.min(options.cache_ttl_s, last);
  const stale = Math.min(options.stale_ttl_s, last - fresh);
  return {
    'Cache-Control': `${scope}, max-age=${fresh}, stale-while-revalidate=${stale}`,
    Age: String(age),
  };
}

const JSON_TYPE = 'application/json';

type AnswerKind = CaptureOptions['response'];

/** What the caller receives: the option decides unless it has its default; then `Accept` does, as far as it says something. */
function kindOfAnswer(job: Job, response: AnswerKind, request: Request): AnswerKind {
  if (response !== 'file') return response;
  return hasSeveralFiles(job.options) ? kindOfSeveral(request) : kindOfOne(job, request);
}

/** No single file would be the answer: it is the record, unless the caller prefers an archive to JSON. */
function kindOfSeveral(request: Request): 'json' | 'zip' {
  return request.accepts([JSON_TYPE, ARCHIVE_TYPE]) === ARCHIVE_TYPE ? 'zip' : 'json';
}

/**
 * Many clients send `application/json` beside a wildcard by default; only one that accepts no file prefers JSON. None sends
 * `application/zip` by default, so that it counts as far as the caller ranks it.
 */
function kindOfOne({ format }: Job, request: Request): AnswerKind {
  const { contentType } = FORMATS[format];
  const [fileType = contentType] = contentType.split(';');
  const acceptsFile = request.accepts(fileType) !== false;
  const accepted = request.accepts(acceptsFile ? [fileType, ARCHIVE_TYPE] : [JSON_TYPE, ARCHIVE_TYPE]);
  if (accepted === ARCHIVE_TYPE) return 'zip';
  return accepted === JSON_TYPE ? 'json' : 'file';
}
