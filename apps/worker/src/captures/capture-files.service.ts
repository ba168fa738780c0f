import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { FORMATS, type CapturedFile, type CaptureOptions } from '@app/capture';
import { Env } from '@app/config';
import {
  cacheLifeS,
  attemptKeysOf,
  resultKeysOf,
  unnamedKeysOf,
  type AttemptedJob,
  type Job,
  type StoredFile,
} from '@app/jobs';
import { withTimeout } from '@app/kernel';
import { Storage } from '@app/storage';

/** Files of a capture that are stored at a time: a store answers each after a round trip or two. */
const PARALLEL = 4;
/** Maximum wait for files to be deleted that another one makes useless. */
const DROP_MS = 5_000;

type CapturedFiles = readonly [CapturedFile, ...CapturedFile[]];
type StoredFiles = readonly [StoredFile, ...StoredFile[]];

/**
 * Gives each file a key with its extension, in their order. There are more keys than files when an output has fewer slices than
 * it could have.
 */
function keysFor(files: CapturedFiles, keys: readonly string[]): string[] {
  const left = [...keys];
  return files.map(({ format }) => {
    const at = left.findIndex((key) => key.endsWith(`.${FORMATS[format].extension}`));
    const [key] = at < 0 ? [] : left.splice(at, 1);
    if (key === undefined) throw new RangeError(`${files.length} files, ${keys.length} keys`);
    return key;
  });
}

type KeptFor = Pick<CaptureOptions, 'expires_in_s'> & Parameters<typeof cacheLifeS>[0];

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

  /**
   * Stores the files of this attempt, some at a time. When one cannot be stored, the others are deleted, or stay behind as
   * orphaned files if that fails as well.
   */
  async store(job: AttemptedJob, files: CapturedFiles): Promise<StoredFiles> {
    const keys = keysFor(files, attemptKeysOf(job, job.attempt));
    const stored: StoredFile[] = [];
    const left = files.entries();
    let hasFailed = false;
    const storeNext = async (): Promise<void> => {
      for (const [i, file] of left) {
        if (hasFailed) return;
        stored[i] = await this.put(keys[i] ?? '', file);
      }
    };
    const lanes = Array.from({ length: Math.min(PARALLEL, files.length) }, async () =>
      storeNext().catch((error: unknown) => {
        hasFailed = true;
        throw error;
      }),
    );
    const failed = (await Promise.allSettled(lanes)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') {
      // The store may not answer any more, and a slot waits for it.
      await withTimeout(this.drop(job), DROP_MS, 'deleting files').catch(() => undefined);
      throw failed.reason;
    }
    return stored as unknown as StoredFiles;
  }

  /**
   * Stores the picture of a failed attempt, in the place of the first file that the attempt did not make. Returns nothing when
   * there is none, or when it cannot be stored: the error says more than its picture. Never rejects.
   */
  async storeFailure(
    job: AttemptedJob & Pick<Job, 'options'>,
    picture: CapturedFile | undefined,
  ): Promise<{ readonly file: StoredFile; readonly ttlS: number } | undefined> {
    if (!picture) return undefined;
    const [key] = attemptKeysOf(job, job.attempt);
    const expires_in_s = typeof job.options.expires_in_s === 'number' ? job.options.expires_in_s : undefined;
    const ttlS = this.ttlS({ expires_in_s, cache_ttl_s: 0, stale_ttl_s: 0 });
    return this.put(key, picture).then(
      (file) => ({ file, ttlS }),
      () => undefined,
    );
  }

  private async put(key: string, file: CapturedFile): Promise<StoredFile> {
    const { bytes, name, format, facts } = file;
    await this.storage.put(key, bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const { contentType } = FORMATS[format];
    return { name, format, key, contentType, bytes: bytes.byteLength, sha256, ...facts };
  }

  /**
   * Returns how many seconds the file is kept: also as long as the cache may answer with it. It never outlives its record,
   * without which nothing would delete it.
   */
  ttlS(options: KeptFor): number {
    const asked = options.expires_in_s ?? this.env.RESULT_TTL_S;
    return Math.min(Math.max(asked, cacheLifeS(options)), this.env.RECORD_TTL_S);
  }

  /** Deletes the files of this attempt. */
  async drop(job: AttemptedJob): Promise<void> {
    await this.delete(attemptKeysOf(job, job.attempt));
  }

  /** Deletes the files of all attempts except that whose files the row names. */
  async dropUnnamed(job: AttemptedJob): Promise<void> {
    await this.delete(unnamedKeysOf(job));
  }

  /** Deletes the files of all attempts, except files that other records may show as well. */
  async dropAll(job: AttemptedJob): Promise<void> {
    await this.delete(resultKeysOf(job));
  }

  /** @throws AppError `storage_unavailable` when one could not be deleted; the others are */
  async delete(keys: readonly string[]): Promise<void> {
    const results = await Promise.allSettled(keys.map((key) => this.storage.delete(key)));
    const failed = results.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }
}
