import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';
import { newId, pageOfRows, type Cursor } from '@app/kernel';
import type { Actor, AuditAction, AuditEvent, AuditPage, Change } from './audit-event.js';

/** Rows that one statement deletes. More would hold their locks for long. */
const PURGED_AT_ONCE = 1_000;

/** Which events a list has. */
export interface AuditFilter {
  readonly action?: AuditAction | undefined;
  readonly accountId?: string | undefined;
  /** The id of the key that made the change. */
  readonly actorKeyId?: string | undefined;
  readonly subjectId?: string | undefined;
  readonly createdAfter?: string | undefined;
  readonly createdBefore?: string | undefined;
}

/** The audit trail: rows are added and grow old, and nothing changes them. */
@Injectable()
export class AuditRepository {
  constructor(private readonly source: DataSource) {}

  /** Records a change in the transaction that makes it: there is never one without the other. */
  async record(transaction: Transaction, actor: Actor, change: Change): Promise<void> {
    const { action, accountId, subjectId, before, after } = change;
    await transaction.query(
      `INSERT INTO audit_events (id, action, account_id, subject_id, actor, before, after)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [
        ...[newId(), action, accountId, subjectId, JSON.stringify(actor)],
        ...[before && JSON.stringify(before), after && JSON.stringify(after)],
      ],
    );
  }

  /** The latest first. */
  async list(
    filter: AuditFilter,
    { limit, cursor }: { readonly limit: number; readonly cursor: Cursor | undefined },
  ): Promise<AuditPage> {
    const { action, accountId, actorKeyId, subjectId, createdAfter, createdBefore } = filter;
    const rows: AuditEvent[] = await this.source.query(
      `SELECT id, at, action, account_id AS "accountId", subject_id AS "subjectId", actor, before, after
         FROM audit_events
        WHERE ($1::text IS NULL OR action = $1) AND ($2::uuid IS NULL OR account_id = $2)
          AND ($3::text IS NULL OR actor->>'key_id' = $3) AND ($4::text IS NULL OR subject_id = $4)
          AND ($5::timestamptz IS NULL OR at > $5) AND ($6::timestamptz IS NULL OR at < $6)
          AND ($7::float8 IS NULL OR (at, id) < (to_timestamp($7::float8 / 1000), $8::uuid))
        ORDER BY at DESC, id DESC LIMIT $9`,
      [
        ...[action, accountId, actorKeyId, subjectId, createdAfter, createdBefore],
        ...[cursor?.createdAtMs, cursor?.id, limit + 1],
      ],
    );
    return pageOfRows(rows, limit, ({ at }) => at);
  }

  /** Deletes some of the events that are older than this. Returns their number. */
  purge(olderThanS: number): Promise<number> {
    return this.source.transaction(async (transaction) => {
      // A trigger refuses every other deletion.
      await transaction.query(`SET LOCAL capture.expiring = 'on'`);
      const [, deleted]: [unknown, number] = await transaction.query(
        `DELETE FROM audit_events WHERE id IN (
           SELECT id FROM audit_events WHERE at < now() - $1 * interval '1 s' ORDER BY at LIMIT ${PURGED_AT_ONCE})`,
        [olderThanS],
      );
      return deleted;
    });
  }
}
