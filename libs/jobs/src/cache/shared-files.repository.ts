import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';

/** The rows of files that several records may show. */
@Injectable()
export class SharedFilesRepository {
  /**
   * Keeps the files of these captures from being deleted until the transaction ends, so that it can add rows of `jobs` that
   * show them (`origin_id`, `result_key`). Files that are not held may be gone at any time. Rows of jobs and entries of the
   * cache are locked before, never after.
   *
   * @param originIds of the captures that made the files
   * @returns those of them whose files exist; the others answer for nobody
   */
  async hold(transaction: Transaction, originIds: readonly string[]): Promise<Set<string>> {
    // It conflicts with nothing but the FOR UPDATE of a process that is about to delete the files.
    const held: { id: string }[] = await transaction.query(
      `SELECT id FROM shared_files WHERE id = ANY($1) AND doomed_at IS NULL ORDER BY id FOR KEY SHARE`,
      [originIds],
    );
    return new Set(held.map(({ id }) => id));
  }
}
