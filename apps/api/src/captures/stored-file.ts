import type { Job } from '@app/jobs';
import { AppError } from '@app/kernel';

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
 * @throws AppError that says why there is none: not yet, not any more, or the job's own error.
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
