import type { Job } from './job.entity.js';
import type { StoredFile } from './capture-files.js';

/** The columns of the files of a capture. */
export function fileColumns(files: readonly [StoredFile, ...StoredFile[]]): Partial<Job> {
  const [first, ...others] = files;
  const totalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  return { ...pictureColumns(first), otherFiles: others.length > 0 ? others : null, totalBytes };
}

/** The columns of the picture of a failure, which does not count as a result. */
export function pictureColumns({ key: resultKey, contentType, bytes, sha256 }: StoredFile): Partial<Job> {
  return { resultKey, contentType, bytes, sha256 };
}

/** When the files of a job expire. The statement needs a parameter `ttlS`. */
export const EXPIRY = (): string => `clock_timestamp() + :ttlS * interval '1 s'`;
