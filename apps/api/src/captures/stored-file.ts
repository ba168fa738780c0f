import { create } from 'content-disposition';
import { DIFF, FAILURE, fileNameOf, FORMATS } from '@app/capture';
import { cacheReportOf, filesOf, isBillable, type CaptureRecord, type Job, type StoredFile } from '@app/jobs';
import { AppError } from '@app/kernel';
import { REVALIDATE } from '../http/caching.js';
import { CAPTURED } from '../http/captured-content.js';

/** Longer URLs are left out: clients and proxies refuse a response whose headers are too large. */
const MAX_URL_LENGTH = 2_048;

/** The phases of `Server-Timing`, in order. */
const PHASES = ['queue', 'prepare', 'navigate', 'settle', 'render', 'store'] as const;

/**
 * The files of a job in the order of its outputs.
 *
 * @throws AppError that says why there are none: `job_not_finished`, `job_canceled`, `result_expired`, or the job's own error
 */
export function storedFilesOf(job: Job): readonly [StoredFile, ...StoredFile[]] {
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
      return availableFilesOf(job);
    default:
      return job.status satisfies never;
  }
}

function availableFilesOf(job: Job): readonly [StoredFile, ...StoredFile[]] {
  const [first, ...others] = filesOf(job).filter((file): file is StoredFile => file.key !== null);
  if (first === undefined || job.isExpired === true) throw new AppError('result_expired');
  return [first, ...others];
}

/**
 * One file of a job; without a name the first.
 *
 * @throws AppError `not_found` for an unknown name, and as `storedFilesOf` does
 */
export function fileOf(job: Job, name?: string): StoredFile {
  if (job.status === 'failed' && name === FAILURE && filesOf(job).length > 0) return availableFilesOf(job)[0];
  const files = storedFilesOf(job);
  const found = name === undefined ? files[0] : files.find((file) => file.name === name);
  if (found) return found;
  const names = files.map((file) => file.name).join(', ');
  throw new AppError('not_found', { detail: `The capture has no file with this name. It has: ${names}.` });
}

/** The headers of a capture's file, except those about its length. */
export function fileHeaders(job: Job, file: StoredFile): Record<string, string> {
  return {
    'Content-Type': file.contentType,
    'Content-Disposition': create(fileName(job, file), { type: dispositionOf(file) }),
    ETag: etagOf(file),
    'Accept-Ranges': 'bytes',
    ...CAPTURED,
    ...captureHeaders(job),
  };
}

/** The headers of every response that holds what a capture made. */
export function captureHeaders(job: Job): Record<string, string> {
  const finalUrl = job.finalUrl === null ? undefined : printable(job.finalUrl);
  return {
    // A file may expire or be deleted.
    ...REVALIDATE,
    'X-Capture-Id': job.id,
    'X-Capture-Billable': String(isBillable(job)),
    'X-Cache': cacheHeaderOf({ cache: cacheReportOf(job) }),
    ...(job.httpStatus !== null && { 'X-Capture-Http-Status': String(job.httpStatus) }),
    ...(finalUrl !== undefined && { 'X-Capture-Final-Url': finalUrl }),
    ...(job.timings && { 'Server-Timing': serverTiming(job.timings) }),
  };
}

/** `X-Cache`: how the cache answered, `MISS` also while that is open, and `BYPASS` if the capture did not ask for it. */
export function cacheHeaderOf({ cache }: Pick<CaptureRecord, 'cache'>): string {
  return (cache ? (cache.status ?? 'miss') : 'bypass').toUpperCase();
}

export function etagOf({ sha256 }: StoredFile): string {
  return `"${sha256}"`;
}

/** Whether a browser may display the file in a tab. */
export function dispositionOf({ format }: StoredFile): 'inline' | 'attachment' {
  return FORMATS[format].disposition;
}

function serverTiming(timings: NonNullable<Job['timings']>): string {
  return PHASES.map((phase) => `${phase};dur=${timings[`${phase}_ms`]}`).join(', ');
}

/** The name that the caller gave the file or that of the host, followed by the name of the output if there are several. */
export function fileName(job: Job, { name, format }: StoredFile): string {
  const filename = givenName(job);
  // The only output needs no name beside the file of differences.
  const isOnly =
    name !== DIFF && name !== FAILURE && filesOf(job).filter((other) => other.name !== DIFF).length === 1;
  return fileNameOf(isOnly ? filename : `${filename}-${name}`, format);
}

/** The name of the archive: that of the file, with another extension. */
export function archiveName(job: Job): string {
  const { extension, otherExtensions = [] } = FORMATS[job.format];
  const known = ['zip', extension, ...otherExtensions].map((each) => `.${each}`);
  const name = givenName(job);
  const end = known.find((each) => name.toLowerCase().endsWith(each) && name.length > each.length) ?? '';
  return `${name.slice(0, name.length - end.length)}.zip`;
}

function givenName({ options, host }: Job): string {
  return typeof options.filename === 'string' ? options.filename : (host ?? 'capture');
}

function printable(url: string): string | undefined {
  if (url.length > MAX_URL_LENGTH) return undefined;
  return url.replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character.toWellFormed()));
}
