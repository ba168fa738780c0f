import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { FORMATS, type CapturedFile } from '@app/capture';
import { Env } from '@app/config';
import { attemptKeysOf, resultKeysOf, unnamedKeysOf, type AttemptedJob, type StoredFile } from '@app/jobs';
import { Storage } from '@app/storage';

type CapturedFiles = readonly [CapturedFile, ...CapturedFile[]];
type StoredFiles = readonly [StoredFile, ...StoredFile[]];

/**
 * The files of a job's attempts. A worker stores and deletes files only here; the API deletes those of a deleted capture.
 *
 * Each attempt has a key of its own, so that one that lost its lease can never overwrite the file of another. Therefore
 * files may exist that no row names. Their keys follow from the row (id, number of attempts, formats), so that they are
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

  /** Stores the files of this attempt. When one cannot be stored, those before it stay behind as orphaned files. */
  async store(job: AttemptedJob, [first, ...others]: CapturedFiles): Promise<StoredFiles> {
    const [firstKey, ...otherKeys] = attemptKeysOf(job, job.attempt);
    const stored = [];
    for (const [i, file] of others.entries()) {
      const key = otherKeys[i];
      if (key === undefined) throw new RangeError(`There is no key for file ${i + 2}`);
      stored.push(await this.put(key, file));
    }
    return [await this.put(firstKey, first), ...stored];
  }

  private async put(key: string, file: CapturedFile): Promise<StoredFile> {
    const { bytes, name, format, facts } = file;
    await this.storage.put(key, bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const { contentType } = FORMATS[format];
    return { name, format, facts, key, contentType, bytes: bytes.byteLength, sha256 };
  }

  /** Returns how many seconds the file is kept. It never outlives its record, without which nothing would delete it. */
  ttlS(requested: number | undefined): number {
    return Math.min(requested ?? this.env.RESULT_TTL_S, this.env.RECORD_TTL_S);
  }

  /** Deletes the files of this attempt. */
  async drop(job: AttemptedJob): Promise<void> {
    for (const key of attemptKeysOf(job, job.attempt)) await this.storage.delete(key);
  }

  /** Deletes the files of all attempts except that whose files the row names. */
  async dropUnnamed(job: AttemptedJob): Promise<void> {
    for (const key of unnamedKeysOf(job)) await this.storage.delete(key);
  }

  /** Deletes the files of all attempts. */
  async dropAll(job: AttemptedJob): Promise<void> {
    for (const key of resultKeysOf(job)) await this.storage.delete(key);
  }
}
