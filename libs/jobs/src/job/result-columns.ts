import type { Job } from './job.entity.js';
import { toOtherFile, type StoredFile } from './stored-file.js';

/** The columns of the files of a capture. */
export function fileColumns([first, ...others]: readonly [StoredFile, ...StoredFile[]]): Partial<Job> {
  const { key: resultKey, contentType, bytes, sha256 } = first;
  const totalBytes = others.reduce((sum, file) => sum + file.bytes, bytes);
  const otherFiles = others.length > 0 ? others.map(toOtherFile) : null;
  return { resultKey, contentType, bytes, sha256, otherFiles, totalBytes };
}

/** The columns of the picture of a failure, which does not count as a result. */
export function pictureColumns({ key: resultKey, contentType, bytes, sha256 }: StoredFile): Partial<Job> {
  return { resultKey, contentType, bytes, sha256 };
}

/** When the files of a job expire. The statement needs a parameter `ttlS`. */
export const EXPIRY = (): string => `clock_timestamp() + :ttlS * interval '1 s'`;
