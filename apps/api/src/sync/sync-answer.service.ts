import { Injectable } from '@nestjs/common';
import { FORMATS, type CaptureOptions } from '@app/capture';
import { isFinal, JobsService, toCaptureRecord, type Job } from '@app/jobs';
import type { Request, Response } from 'express';
import { CaptureFileService } from '../captures/capture-file.service.js';
import { fileOf } from '../captures/stored-file.js';
import { JobRecordsService } from '../jobs/job-records.service.js';

/** What the caller of `POST /v1/capture` asked to receive. */
export interface ResponsePreference {
  readonly response: CaptureOptions['response'];
  /** Seconds of `Prefer: wait`. */
  readonly waitS?: number;
}

/** Answers `POST /v1/capture` with the file, the record, or the job that is still in progress. */
@Injectable()
export class SyncAnswerService {
  constructor(
    private readonly jobs: JobsService,
    private readonly files: CaptureFileService,
    private readonly records: JobRecordsService,
  ) {}

  /** @throws AppError of a job that failed */
  async send(job: Job, preference: ResponsePreference, response: Response): Promise<void> {
    response.set({ 'X-Capture-Id': job.id, Vary: 'Accept, Prefer' });
    if (preference.waitS !== undefined) response.set('Preference-Applied', `wait=${preference.waitS}`);
    if (!isFinal(job.status)) await this.sendJob(job, response);
    else if (preference.response !== 'file' || hasSeveralOutputs(job) || prefersJson(job, response.req)) {
      await this.sendRecord(job, response);
    } else await this.files.send(job, response);
  }

  private async sendJob(job: Job, response: Response): Promise<void> {
    response
      .status(202)
      .location(`/v1/jobs/${job.id}`)
      .json(await this.records.of(job));
  }

  private async sendRecord(job: Job, response: Response): Promise<void> {
    // Throws the error of a failed job, which is the answer whatever the caller prefers.
    fileOf(job);
    response.json(toCaptureRecord(await this.jobs.withPageLists(job)));
  }
}

/** No single file would be the answer. */
function hasSeveralOutputs({ otherExtensions }: Job): boolean {
  return otherExtensions !== null;
}

/** Many clients send `application/json` beside a wildcard by default; only one that accepts no file prefers JSON. */
function prefersJson({ format }: Job, request: Request): boolean {
  const acceptsFile = request.accepts(FORMATS[format].contentType) !== false;
  return !acceptsFile && request.accepts('application/json') !== false;
}
