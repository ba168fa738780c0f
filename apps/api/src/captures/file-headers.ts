import { create } from 'content-disposition';
import { fileNameOf } from '@app/capture';
import { isBillable, type Job } from '@app/jobs';
import type { StoredFile } from './stored-file.js';

/** Longer URLs are left out: clients and proxies refuse a response whose headers are too large. */
const MAX_URL_LENGTH = 2_048;

/** The order of the phases in `Server-Timing`. */
const PHASES = ['queue', 'prepare', 'navigate', 'settle', 'render', 'store'] as const;

/** The headers of a capture's file, except those of its length. */
export function fileHeaders(job: Job, file: StoredFile): Record<string, string> {
  const finalUrl = job.finalUrl === null ? undefined : printable(job.finalUrl);
  return {
    'Content-Type': file.contentType,
    'Content-Disposition': create(fileName(job), { type: 'inline' }),
    ETag: etagOf(file),
    'Accept-Ranges': 'bytes',
    // The caller may keep it, but must ask whether it still may be had.
    'Cache-Control': 'private, no-cache',
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
