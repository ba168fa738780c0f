import { Injectable } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import { AccountJobsRepository, AccountJobsService, JobExpiryRepository } from '@app/jobs';
import { CaptureFilesService } from '../captures/capture-files.service.js';
import { UPLOADS_END_WITHIN_S } from './file-expiry.service.js';
import { forEach } from './pages.js';

/** Records that one transaction deletes. */
const PAGE_SIZE = 500;

/** Deletes the captures of accounts, with their files. */
@Injectable()
export class AccountCapturesService {
  constructor(
    private readonly database: DatabaseService,
    private readonly accounts: AccountJobsRepository,
    private readonly jobs: AccountJobsService,
    private readonly records: JobExpiryRepository,
    private readonly files: CaptureFilesService,
  ) {}

  /** Returns whether nothing is left. @throws AppError `storage_unavailable` when a file could not be deleted */
  async deleteAllOf(accountId: string, signal: AbortSignal): Promise<boolean> {
    if (!(await this.jobs.cancelAll(accountId, signal))) return false;
    if (!(await this.deleteRecords(accountId, signal))) return false;
    return this.deleteShared(accountId, signal);
  }

  private async deleteRecords(accountId: string, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const settled = await this.accounts.listSettled(accountId, UPLOADS_END_WITHIN_S, PAGE_SIZE);
      if (settled.length === 0) return !(await this.accounts.hasRecords(accountId));
      // The files first: without the row, nothing knows their names.
      const { done, fault } = await forEach(settled, (job) => this.files.dropAll(job));
      const ids = done.map(({ id }) => id);
      if (ids.length > 0) {
        await this.database.transaction((transaction) => this.records.deleteRecords(transaction, ids));
      }
      if (fault) throw fault;
    }
    return false;
  }

  /** No record of the account shows the files any more. */
  private async deleteShared(accountId: string, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const page = await this.accounts.listShared(accountId, PAGE_SIZE);
      if (page.length === 0) return true;
      const { done, fault } = await forEach(page, ({ keys }) => this.files.delete(keys));
      await this.accounts.removeShared(done.map(({ id }) => id));
      if (fault) throw fault;
    }
    return false;
  }
}
