import { FORMATS } from '@app/capture';
import type { Job } from './job.entity.js';

/** The columns of a job that name the files of its attempts. */
export type AttemptedJob = Pick<Job, 'id' | 'attempt' | 'format' | 'resultKey'>;

/** The key of the file of one attempt. Each attempt has its own, so that a late one never overwrites another's file. */
export function resultKeyOf({ id, format }: AttemptedJob, attempt: number): string {
  return `captures/${id}/${attempt}.${FORMATS[format].extension}`;
}

/** The keys of the files that all attempts may have stored. */
export function resultKeysOf(job: AttemptedJob): string[] {
  const keys = new Set(Array.from({ length: job.attempt }, (_, i) => resultKeyOf(job, i + 1)));
  if (job.resultKey !== null) keys.add(job.resultKey);
  return [...keys];
}
