import { Injectable } from '@nestjs/common';
import { FORMATS, type CaptureOptions } from '@app/capture';
import { isFinal, JobsService, toCaptureRecord, type Job } from '@app/jobs';
import type { Request, Response } from 'express';
import { ARCHIVE_TYPE } from '../captures/archive.service.js';
import { CaptureArchiveService } from '../captures/capture-archive.service.js';
import { CaptureFileService } from '../captures/capture-file.service.js';
import { storedFilesOf } from '../captures/stored-file.js';
import { JobRecordsService } from '../jobs/job-records.service.js';

/** What the caller of `POST /v1/capture` asked to receive. */
export interface ResponsePreference {
  readonly response: CaptureOptions['response'];
  /** Seconds of `Prefer: wait`. */
  readonly waitS?: number;
}

/** Answers `POST /v1/capture` with the file, the record, all files, or the job that is still in progress. */
@Injectable()
export class SyncAnswerService {
  constructor(
    private readonly jobs: JobsService,
    private readonly files: CaptureFileService,
    private readonly archives: CaptureArchiveService,
    private readonly records: JobRecordsService,
  ) {}

  /** @throws AppError of a job that failed */
  async send(job: Job, preference: ResponsePreference, response: Response): Promise<void> {
    response.set({ 'X-Capture-Id': job.id, Vary: 'Accept, Prefer' });
    if (preference.waitS !== undefined) response.set('Preference-Applied', `wait=${preference.waitS}`);
    if (isFinal(job.status)) await this.sendResult(job, preference, response);
    else await this.sendJob(job, response);
  }

  private async sendResult(job: Job, preference: ResponsePreference, response: Response): Promise<void> {
    const kind = kindOf(job, preference, response.req);
    if (kind === 'file') await this.files.send(job, response);
    else if (kind === 'zip') await this.archives.send(job, response);
    else await this.sendRecord(job, response);
  }

  private async sendJob(job: Job, response: Response): Promise<void> {
    response
      .status(202)
      .location(`/v1/jobs/${job.id}`)
      .json(await this.records.of(job));
  }

  private async sendRecord(job: Job, response: Response): Promise<void> {
    // Throws the error of a failed job, which is the answer whatever the caller prefers.
    storedFilesOf(job);
    response.json(toCaptureRecord(await this.jobs.withPageLists(job)));
  }
}

const JSON_TYPE = 'application/json';

/** The option decides unless it has its default; then `Accept` does, as far as it says something. */
function kindOf(
  job: Job,
  { response }: ResponsePreference,
  request: Request,
): ResponsePreference['response'] {
  if (response !== 'file') return response;
  return hasSeveralOutputs(job) ? kindOfSeveral(request) : kindOfOne(job, request);
}

/** No single file would be the answer: it is the record, unless the caller prefers an archive to JSON. */
function kindOfSeveral(request: Request): 'json' | 'zip' {
  return request.accepts([JSON_TYPE, ARCHIVE_TYPE]) === ARCHIVE_TYPE ? 'zip' : 'json';
}

/**
 * Many clients send `application/json` beside a wildcard by default; only one that accepts no file prefers JSON. None sends
 * `application/zip` by default, so that it counts as far as the caller ranks it.
 */
function kindOfOne({ format }: Job, request: Request): ResponsePreference['response'] {
  const { contentType } = FORMATS[format];
  const [fileType = contentType] = contentType.split(';');
  const acceptsFile = request.accepts(fileType) !== false;
  const accepted = request.accepts(acceptsFile ? [fileType, ARCHIVE_TYPE] : [JSON_TYPE, ARCHIVE_TYPE]);
  if (accepted === ARCHIVE_TYPE) return 'zip';
  return accepted === JSON_TYPE ? 'json' : 'file';
}

function hasSeveralOutputs({ options: { outputs } }: Job): boolean {
  return Array.isArray(outputs) && outputs.length > 1;
}
