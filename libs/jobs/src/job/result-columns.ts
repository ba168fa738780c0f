import { isAnythingMissing, sumOfBlocked, type CaptureFacts, type FailedFacts } from '@app/capture';
import type { Job } from './job.entity.js';
import { splitPage } from './page-columns.js';
import { toOtherFile, type StoredFile } from './stored-file.js';

/** The columns of the facts of a visit. */
export function factColumns(facts: CaptureFacts | FailedFacts): Partial<Job> {
  const page = 'page' in facts ? facts.page : null;
  const missing = 'missing' in facts && isAnythingMissing(facts.missing) ? facts.missing : null;
  return { ...facts, missing, ...splitPage(page), blockedRequests: sumOfBlocked(facts.blocked) };
}

/** The columns of the files of a capture. */
export function fileColumns([first, ...others]: readonly [StoredFile, ...StoredFile[]]): Partial<Job> {
  const { key: resultKey, contentType, bytes, sha256 } = first;
  const totalBytes = others.reduce((sum, file) => sum + file.bytes, bytes);
  const otherFiles = others.length > 0 ? others.map(toOtherFile) : null;
  return { resultKey, contentType, bytes, sha256, otherFiles, totalBytes };
}
