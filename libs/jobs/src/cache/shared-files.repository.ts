import { Injectable } from '@nestjs/common';
import { DatabaseService, type Transaction } from '@app/database';
import type { Job } from '../job/job.entity.js';
import { EPOCH, NIL, type Page } from '../job/page.js';

/** The files of a capture that other records may show as well. */
export interface SharedFiles {
  /** The id of the capture that made them. */
  readonly id: string;
  readonly keys: readonly string[];
  readonly checkAt: Date;
  /** Whether nothing needs the files, and nothing ever will: they are to be deleted, and then the row. */
  readonly isUnneeded: boolean;
}

/**
 * The rows of files that several records may show. Rows of `jobs` that name such files (`origin_id`, `result_key`) and
 * entries of the cache hold them. The files are deleted when nothing holds them:
 *
 *   hold      adds holders: they lock the row FOR KEY SHARE until they are committed
 *   makeDue   belongs to every transaction that removes a holder: the row is due from then on
 *   mark…     locks the row FOR UPDATE, which waits for whatever adds or removes a holder, and looks for holders in a new
 *             statement, which sees all of them. Without one the files are marked as unneeded (`doomed_at`), and get no holder
 *             any more
 *   remove    deletes the row after the store has deleted the files
 *
 * A process that dies in between leaves a marked row, which is still due: the next run deletes its files.
 */
@Injectable()
export class SharedFilesRepository {
  constructor(private readonly database: DatabaseService) {}

  /** Owns the files of a capture from now on. The rows of `jobs` that show them no longer do. */
  async add(
    transaction: Transaction,
    { id, accountId, expiresAt }: Pick<Job, 'id' | 'accountId' | 'expiresAt'>,
    keys: readonly string[],
  ): Promise<void> {
    await transaction.query(
      `INSERT INTO shared_files (id, account_id, keys, check_at) VALUES ($1, $2, $3, $4)`,
      [id, accountId, keys, expiresAt],
    );
  }

  /**
   * Keeps the files of these captures from being deleted until the transaction ends, so that it can add rows of `jobs` that
   * show them (`origin_id`, `result_key`). Files that are not held may be gone at any time. Rows of jobs and entries of the
   * cache are locked before, never after.
   *
   * @param originIds of the captures that made the files
   * @returns those of them whose files exist and may be shown; the others answer no request
   */
  async hold(transaction: Transaction, originIds: readonly string[]): Promise<Set<string>> {
    // It conflicts with nothing but the FOR UPDATE of a process that is about to delete the files, or closes them.
    const held: { id: string }[] = await transaction.query(
      `SELECT id FROM shared_files WHERE id = ANY($1) AND doomed_at IS NULL AND closed_at IS NULL
        ORDER BY id FOR KEY SHARE`,
      [originIds],
    );
    return new Set(held.map(({ id }) => id));
  }

  /** Has the expiry look soon whether anything still needs the files of these captures. */
  async makeDue(transaction: Transaction, originIds: readonly string[]): Promise<void> {
    await transaction.query(`UPDATE shared_files SET check_at = least(check_at, ${NOW}) WHERE id = ANY($1)`, [
      originIds,
    ]);
  }

  /** Keeps all further records from showing the files: a caller deleted them, or the store has lost them. */
  async close(transaction: Transaction, originId: string): Promise<void> {
    await transaction.query(
      // FOR UPDATE waits for a transaction that holds the files, so that nothing shows them after this one has committed.
      `WITH locked AS MATERIALIZED (SELECT id FROM shared_files WHERE id = $1 FOR UPDATE)
       UPDATE shared_files AS files
          SET closed_at = coalesce(closed_at, ${NOW}), check_at = least(check_at, ${NOW})
         FROM locked WHERE files.id = locked.id`,
      [originId],
    );
  }

  /** Marks the files of this capture as unneeded unless something holds them; returns null if there are none. */
  markUnneeded(originId: string): Promise<SharedFiles | null> {
    return this.database.transaction(async (transaction) => {
      const locked = await lock(transaction, 'id = $1 FOR UPDATE', [originId]);
      const [files] = await mark(transaction, locked);
      return files ?? null;
    });
  }

  /** Marks the due files that nothing holds as unneeded, and notes of the others until when something holds them. */
  markDueUnneeded({ limit, after }: Page<SharedFiles>): Promise<SharedFiles[]> {
    return this.database.transaction(async (transaction) => {
      const locked = await lock(
        transaction,
        `check_at <= now() AND (check_at, id) > ($2::timestamptz, $3::uuid)
          ORDER BY check_at, id LIMIT $1 FOR UPDATE SKIP LOCKED`,
        [limit, after?.checkAt ?? EPOCH, after?.id ?? NIL],
      );
      return mark(transaction, locked);
    });
  }

  /** Forgets unneeded files that the store has deleted. */
  async remove(originIds: readonly string[]): Promise<void> {
    await this.database.transaction((transaction) =>
      transaction.query(`DELETE FROM shared_files WHERE id = ANY($1) AND doomed_at IS NOT NULL`, [originIds]),
    );
  }
}

type LockedFiles = Omit<SharedFiles, 'isUnneeded'>;

function lock(
  transaction: Transaction,
  condition: string,
  values: readonly unknown[],
): Promise<LockedFiles[]> {
  return transaction.query(`SELECT id, keys, check_at AS "checkAt" FROM shared_files WHERE ${condition}`, [
    ...values,
  ]);
}

/** Another statement than that of the lock: it sees what was committed while that one waited. */
async function mark(transaction: Transaction, locked: readonly LockedFiles[]): Promise<SharedFiles[]> {
  if (locked.length === 0) return [];
  const [marked]: [{ id: string; isUnneeded: boolean }[], number] = await transaction.query(MARK, [
    locked.map(({ id }) => id),
  ]);
  const unneeded = new Set(marked.filter(({ isUnneeded }) => isUnneeded).map(({ id }) => id));
  return locked.map((files) => ({ ...files, isUnneeded: unneeded.has(files.id) }));
}

/** Rounded down to the precision of the columns, which would otherwise round up to a time in the future. */
const NOW = `date_trunc('milliseconds', now())`;

/** Files that are held are not looked at again before this time, so that a holder that stays behind costs little. */
const AGAIN_AFTER = `interval '1 minute'`;

const MARK = `
  UPDATE shared_files AS files
     SET doomed_at = coalesce(doomed_at, CASE WHEN held_until IS NULL THEN ${NOW} END),
         check_at = CASE WHEN held_until IS NULL OR doomed_at IS NOT NULL THEN least(check_at, ${NOW})
                         ELSE greatest(held_until, ${NOW} + ${AGAIN_AFTER}) END
    FROM (SELECT id, greatest(
              (SELECT coalesce(expires_at, ${NOW}) FROM jobs
                WHERE origin_id = locked.id AND result_key IS NOT NULL ORDER BY expires_at DESC NULLS FIRST LIMIT 1),
              (SELECT max(kept_until) FROM cache_entries WHERE capture_id = locked.id)) AS held_until
            FROM unnest($1::uuid[]) AS locked (id)) AS holders
   WHERE files.id = holders.id
  RETURNING files.id, doomed_at IS NOT NULL AS "isUnneeded"`;
