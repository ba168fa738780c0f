import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { FORMATS, type Captured } from '@app/capture';
import { Env } from '@app/config';
import { resultKeyOf, resultKeysOf, type AttemptedJob, type StoredFile } from '@app/jobs';
import { Storage } from '@app/storage';

/**
 * The files of a job's attempts. A worker stores and drops them here alone; the API drops those of a deleted capture.
 *
 * Each attempt has a key of its own, so that one which lost its lease can never overwrite the file of the one that
 * won. The price is files that no row names. Every name follows from the row (id, attempts so far, format), so that
 * they are found without listing the store:
 *
 *   an earlier attempt stored, then its worker died       the attempt that succeeds drops them
 *   the job was canceled, or lost, while it was stored    the attempt sees that it changed no row, and drops its own
 *   its worker died in between, the store was away, or
 *   nobody knows whether the database took the end        the sweep of expiry, some minutes after the job's end
 *   a worker stood still for longer than that, stored,
 *   and died before it looked                             the expiry of the record, which drops every attempt's
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

  /** Seconds for which the file is kept: it never outlives its record, for then nobody would know of it. */
  ttlS(asked: number | undefined): number {
    return Math.min(asked ?? this.env.RESULT_TTL_S, this.env.RECORD_TTL_S);
  }

  /** Drops the file of this attempt. */
  drop(job: AttemptedJob): Promise<void> {
    return this.storage.delete(resultKeyOf(job, job.attempt));
  }

  /** Drops the files of all attempts but the one that the row names. */
  async dropUnnamed(job: AttemptedJob): Promise<void> {
    for (const key of resultKeysOf(job)) if (key !== job.resultKey) await this.storage.delete(key);
  }

  /** Drops the files of all attempts. */
  async dropAll(job: AttemptedJob): Promise<void> {
    for (const key of resultKeysOf(job)) await this.storage.delete(key);
  }
}
