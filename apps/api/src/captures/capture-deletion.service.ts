import { Injectable } from '@nestjs/common';
import {
  JobDeletionService,
  JobExpiryRepository,
  resultKeysOf,
  type DeletionRequest,
  type Job,
} from '@app/jobs';
import { Storage } from '@app/storage';

/** Deletes captures: the personal data of their records, and their files. */
@Injectable()
export class CaptureDeletionService {
  constructor(
    private readonly jobs: JobDeletionService,
    private readonly expiry: JobExpiryRepository,
    private readonly storage: Storage,
  ) {}

  /**
   * Deletes the capture. Its file is not served after the commit; a worker that stores one later notices that it has lost
   * the job, and discards the file.
   *
   * @throws AppError `not_found`; `storage_unavailable` when the file could not be deleted: it is no longer served, and
   * expiry deletes it
   */
  async delete(request: DeletionRequest): Promise<Job> {
    const job = await this.jobs.delete(request);
    await Promise.all(resultKeysOf(job).map((key) => this.storage.delete(key)));
    // Only after the file is deleted: expiry finds files by the rows that name them.
    if (job.resultKey !== null) await this.expiry.forgetFiles([job.id]);
    return job;
  }
}
