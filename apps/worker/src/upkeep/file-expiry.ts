import { Injectable } from '@nestjs/common';
import { JobExpiryRepository, type EndedJob, type ExpiringFile } from '@app/jobs';
import { Storage } from '@app/storage';
import { CaptureFilesService } from '../captures/capture-files.service.js';
import { forEach, inPages } from './pages.js';

/** After that long no worker is still storing a file for a job that has ended: a put is given up much earlier. */
const SETTLED_AFTER_S = 600;

/** Deletes files: those whose time is over, and those that no row names. The records stay. */
@Injectable()
export class FileExpiry {
  constructor(
    private readonly jobs: JobExpiryRepository,
    private readonly files: CaptureFilesService,
    private readonly storage: Storage,
  ) {}

  async dropExpired(signal: AbortSignal): Promise<void> {
    await inPages<ExpiringFile>(
      (page) => this.jobs.listExpiredFiles(page),
      async (expired) => {
        // The file first: a row that still names a deleted file is found again, a file that no row names is not.
        const { done, fault } = await forEach(expired, (job) => this.files.dropAll(job));
        await this.jobs.forgetFiles(done.map(({ id }) => id));
        if (fault) throw fault;
      },
      signal,
    );
  }

  /** What a worker that was killed in the middle of a write has left; no row can name it. */
  dropIncoming(): Promise<void> {
    return this.storage.tidy();
  }

  /** @see CaptureFiles for what is swept up, and why it is found by the rows alone */
  async sweepLeavings(signal: AbortSignal): Promise<void> {
    await inPages<EndedJob>(
      ({ limit }) => this.jobs.listLeavings(SETTLED_AFTER_S, limit),
      async (ended) => {
        const { fault } = await forEach(ended, (job) => this.files.dropUnnamed(job));
        // The mark moves over all of a page or not at all; to drop a file again is harmless.
        if (fault) throw fault;
        const last = ended.at(-1);
        if (last) await this.jobs.markSwept(last);
      },
      signal,
    );
  }
}
