import { Injectable } from '@nestjs/common';
import {
  JobExpiryRepository,
  KeptCaptureRepository,
  SharedFilesRepository,
  type EndedJob,
  type ExpiringFile,
  type SharedFiles,
} from '@app/jobs';
import { Storage } from '@app/storage';
import { CaptureFilesService } from '../captures/capture-files.service.js';
import { forEach, inPages } from './pages.js';

/** No worker still stores a file for a job that ended longer ago than this: uploads time out much earlier. */
export const UPLOADS_END_WITHIN_S = 600;

/** Entries of the cache that one transaction deletes. */
const CHUNK = 500;

/** Deletes expired files, files that no row names, and what the cache keeps. The records stay. */
@Injectable()
export class FileExpiryService {
  constructor(
    private readonly jobs: JobExpiryRepository,
    private readonly shared: SharedFilesRepository,
    private readonly cache: KeptCaptureRepository,
    private readonly files: CaptureFilesService,
    private readonly storage: Storage,
  ) {}

  async deleteExpired(signal: AbortSignal): Promise<void> {
    await inPages<ExpiringFile>(
      (page) => this.jobs.listExpiredFiles(page),
      async (expired) => {
        // The file first: a row that names a deleted file is found again, a file that no row names is not.
        const { done, fault } = await forEach(expired, (job) => this.files.dropAll(job));
        await this.jobs.forgetFiles(done.map(({ id }) => id));
        if (fault) throw fault;
      },
      signal,
    );
  }

  async deleteCacheEntries(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.cache.deleteExpired(CHUNK)) === CHUNK);
  }

  /** Deletes files that several records could show, and that none shows any more. */
  async deleteShared(signal: AbortSignal): Promise<void> {
    await inPages<SharedFiles>(
      (page) => this.shared.markDueUnneeded(page),
      async (due) => {
        const unneeded = due.filter(({ isUnneeded }) => isUnneeded);
        const { done, fault } = await forEach(unneeded, ({ keys }) => this.files.delete(keys));
        await this.shared.remove(done.map(({ id }) => id));
        if (fault) throw fault;
      },
      signal,
    );
  }

  /** Deletes partial uploads of workers that were killed while they wrote. */
  deleteIncoming(): Promise<void> {
    return this.storage.removeIncomplete();
  }

  /** @see CaptureFilesService for where orphaned files come from, and why the rows are enough to find them */
  async deleteOrphaned(signal: AbortSignal): Promise<void> {
    await inPages<EndedJob>(
      ({ limit }) => this.jobs.listOrphanedFiles(UPLOADS_END_WITHIN_S, limit),
      async (ended) => {
        const { fault } = await forEach(ended, (job) => this.files.dropUnnamed(job));
        // The mark passes a whole page or none of it: deleting a file again is harmless.
        if (fault) throw fault;
        const last = ended.at(-1);
        if (last) await this.jobs.markSwept(last);
      },
      signal,
    );
  }
}
