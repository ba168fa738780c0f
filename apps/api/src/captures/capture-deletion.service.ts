import { Injectable } from '@nestjs/common';
import {
  JobDeletionService,
  JobExpiryRepository,
  resultKeysOf,
  type DeletionRequest,
  type Job,
} from '@app/jobs';
import { Storage } from '@app/storage';

/** Deletes captures: what their records tell, and their files. */
@Injectable()
export class CaptureDeletionService {
  constructor(
    private readonly jobs: JobDeletionService,
    private readonly expiry: JobExpiryRepository,
    private readonly storage: Storage,
  ) {}

  /**
   * Deletes the capture. From its commit on nobody reads the file any more; a worker that stores one afterwards sees that
   * the job is no longer its own, and drops it.
   *
   * @throws AppError `not_found`; `storage_unavailable` when the file could not be deleted at once: it is not served any
   * more, and expiry deletes it
   */
  async delete(request: DeletionRequest): Promise<Job> {
    const job = await this.jobs.delete(request);
    for (const key of resultKeysOf(job)) await this.storage.delete(key);
    // After the file: a row that still names one is found by expiry.
    if (job.resultKey !== null) await this.expiry.forgetFiles([job.id]);
    return job;
  }
}
