import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { FORMATS, type Captured } from '@app/capture';
import { Env } from '@app/config';
import { resultKeyOf, resultKeysOf, type AttemptedJob, type StoredFile } from '@app/jobs';
import { Storage } from '@app/storage';

/**
 * The files of a job's attempts. A worker stores and deletes files only here; the API deletes those of a deleted capture.
 *
 * Each attempt has a key of its own, so that one that lost its lease can never overwrite the file of another. Therefore
 * files may exist that no row names. Their keys follow from the row (id, number of attempts, format), so that they are
 * deleted without listing the store:
 *
 *   an earlier attempt stored a file and then lost        the attempt that succeeds deletes them
 *   its worker
 *   the job was canceled or lost while its file was       the attempt sees that it changed no row, and deletes its own
 *   being stored
 *   the worker died in between, the store was down, or    the sweep for orphaned files, some minutes after the end of
 *   the outcome of the last transaction is unknown        the job
 *   a worker hung for longer than that, stored a file     the expiry of the record deletes the files of all attempts
 *   and died before it read the row
 */
@Injectable()
export class CaptureFilesService {
  constructor(
    private readonly storage: Storage,
    private readonly env: Env,
  ) {}

  async store(job: AttemptedJob, { bytes }: Captured): Promise<StoredFile> {
    const resultKey = resultKeyOf(job, job.attempt);
    await this.storage.put(resultKey, bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { resultKey, contentType: FORMATS[job.format].contentType, bytes: bytes.byteLength, sha256 };
  }

  /** Returns how many seconds the file is kept. It never outlives its record, without which nothing would delete it. */
  ttlS(requested: number | undefined): number {
    return Math.min(requested ?? this.env.RESULT_TTL_S, this.env.RECORD_TTL_S);
  }

  /** Deletes the file of this attempt. */
  drop(job: AttemptedJob): Promise<void> {
    return this.storage.delete(resultKeyOf(job, job.attempt));
  }

  /** Deletes the files of all attempts except the one that the row names. */
  async dropUnnamed(job: AttemptedJob): Promise<void> {
    for (const key of resultKeysOf(job)) if (key !== job.resultKey) await this.storage.delete(key);
  }

  /** Deletes the files of all attempts. */
  async dropAll(job: AttemptedJob): Promise<void> {
    for (const key of resultKeysOf(job)) await this.storage.delete(key);
  }
}
