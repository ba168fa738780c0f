import { Injectable } from '@nestjs/common';
import {
  JobDeletionService,
  JobExpiryRepository,
  JobSignalsService,
  resultKeysOf,
  SharedFilesRepository,
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
    private readonly shared: SharedFilesRepository,
    private readonly storage: Storage,
    private readonly signals: JobSignalsService,
  ) {}

  /**
   * Deletes the capture. Its file is not served after the commit; a worker that stores one later notices that it has lost
   * the job, and discards the file. A file that other records show as well stays for them.
   *
   * @throws AppError `not_found`; `storage_unavailable` when the file could not be deleted: it is no longer served, and
   * expiry deletes it
   */
  async delete(request: DeletionRequest): Promise<Job> {
    const job = await this.jobs.delete(request);
    // The signal of the transaction may arrive here after the response.
    this.signals.emit('forgotten', job.originId ?? job.id);
    await this.deleteFiles(resultKeysOf(job));
    // Only after the file is deleted: expiry finds files by the rows that name them.
    if (job.resultKey !== null) await this.expiry.forgetFiles([job.id]);
    if (job.originId !== null) await this.deleteShared(job.originId);
    return job;
  }

  private async deleteShared(originId: string): Promise<void> {
    const files = await this.shared.markUnneeded(originId);
    if (files?.isUnneeded !== true) return;
    await this.deleteFiles(files.keys);
    await this.shared.remove([originId]);
  }

  private async deleteFiles(keys: readonly string[]): Promise<void> {
    await Promise.all(keys.map((key) => this.storage.delete(key)));
  }
}
