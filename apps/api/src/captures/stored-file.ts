import { create } from 'content-disposition';
import { fileNameOf, FORMATS } from '@app/capture';
import { isBillable, type Job } from '@app/jobs';
import { AppError } from '@app/kernel';
import { REVALIDATE } from '../http/caching.js';

/** Longer URLs are left out: clients and proxies refuse a response whose headers are too large. */
const MAX_URL_LENGTH = 2_048;

/** The phases of `Server-Timing`, in order. */
const PHASES = ['queue', 'prepare', 'navigate', 'settle', 'render', 'store'] as const;

/** The file of a succeeded job. */
export interface StoredFile {
  readonly key: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * The file of a job.
 *
 * @throws AppError that says why there is none: `job_not_finished`, `job_canceled`, `result_expired`, or the job's own error
 */
export function fileOf(job: Job): StoredFile {
  if (job.deletedAt) throw new AppError('result_expired', { detail: 'The capture was deleted.' });
  switch (job.status) {
    case 'queued':
    case 'running':
      throw new AppError('job_not_finished', { detail: `The capture is ${job.status}.` });
    case 'failed':
      throw job.error ? AppError.fromBody(job.error) : new AppError('internal');
    case 'canceled':
      throw new AppError('job_canceled');
    case 'succeeded':
      return succeeded(job);
    default:
      return job.status satisfies never;
  }
}

function succeeded({ resultKey, contentType, bytes, sha256, isExpired }: Job): StoredFile {
  if (resultKey === null || contentType === null || bytes === null || sha256 === null || isExpired === true) {
    throw new AppError('result_expired');
  }
  return { key: resultKey, contentType, bytes, sha256 };
}

/** The headers of a capture's file, except those about its length. */
export function fileHeaders(job: Job, file: StoredFile): Record<string, string> {
  const finalUrl = job.finalUrl === null ? undefined : printable(job.finalUrl);
  return {
    'Content-Type': file.contentType,
    'Content-Disposition': create(fileName(job), { type: dispositionOf(job) }),
    ETag: etagOf(file),
    'Accept-Ranges': 'bytes',
    // A file may expire or be deleted.
    ...REVALIDATE,
    'X-Capture-Id': job.id,
    'X-Capture-Billable': String(isBillable(job)),
    ...(job.httpStatus !== null && { 'X-Capture-Http-Status': String(job.httpStatus) }),
    ...(finalUrl !== undefined && { 'X-Capture-Final-Url': finalUrl }),
    ...(job.timings && { 'Server-Timing': serverTiming(job.timings) }),
  };
}

export function etagOf({ sha256 }: StoredFile): string {
  return `"${sha256}"`;
}

/** Whether a browser may display the file in a tab. */
export function dispositionOf({ format }: Job): 'inline' | 'attachment' {
  return FORMATS[format].disposition;
}

function serverTiming(timings: NonNullable<Job['timings']>): string {
  return PHASES.map((phase) => `${phase};dur=${timings[`${phase}_ms`]}`).join(', ');
}

function fileName({ options, host, format }: Job): string {
  const filename = typeof options.filename === 'string' ? options.filename : (host ?? 'capture');
  return fileNameOf(filename, format);
}

function printable(url: string): string | undefined {
  if (url.length > MAX_URL_LENGTH) return undefined;
  return url.replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character.toWellFormed()));
}
