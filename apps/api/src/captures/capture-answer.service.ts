import { Injectable } from '@nestjs/common';
import { FORMATS } from '@app/capture';
import { isFinal, toCaptureRecord, type Job } from '@app/jobs';
import type { Request, Response } from 'express';
import { JobRecordsService } from '../jobs/job-records.service.js';
import { FileSenderService } from './file-sender.service.js';
import { fileOf } from './stored-file.js';

/** What the caller of `POST /v1/capture` wants to read. */
export interface ResponsePreference {
  readonly response: 'file' | 'json';
  /** Of `Prefer: wait`. */
  readonly waitS?: number;
}

/** Answers `POST /v1/capture`: the file, the record, or where to ask later. */
@Injectable()
export class CaptureAnswerService {
  constructor(
    private readonly files: FileSenderService,
    private readonly records: JobRecordsService,
  ) {}

  /** @throws AppError of a job that failed. */
  async send(job: Job, wanted: ResponsePreference, response: Response): Promise<void> {
    response.set({ 'X-Capture-Id': job.id, Vary: 'Accept, Prefer' });
    if (wanted.waitS !== undefined) response.set('Preference-Applied', `wait=${wanted.waitS}`);
    if (!isFinal(job.status)) await this.accepted(job, response);
    else if (wanted.response === 'json' || prefersJson(job, response.req)) this.record(job, response);
    else await this.files.send(job, response.req, response);
  }

  private async accepted(job: Job, response: Response): Promise<void> {
    response
      .status(202)
      .location(`/v1/jobs/${job.id}`)
      .json(await this.records.of(job));
  }

  private record(job: Job, response: Response): void {
    // A job that failed is answered with its error, whatever the caller wants to read.
    fileOf(job);
    response.json(toCaptureRecord(job));
  }
}

/** Many clients send `application/json` beside a wildcard without a thought; only one that takes no file wants JSON. */
function prefersJson({ format }: Job, request: Request): boolean {
  const takesFile = request.accepts(FORMATS[format].contentType) !== false;
  return !takesFile && request.accepts('application/json') !== false;
}
