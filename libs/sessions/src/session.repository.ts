import { Injectable } from '@nestjs/common';
import { DataSource, In, Not, Raw } from 'typeorm';
import { lockForAccount, type Transaction } from '@app/database';
import { isId, pageOfRows, type Cursor, type ListPage } from '@app/kernel';
import { Session } from './session.entity.js';

/** A session to be stored. */
export type NewSession = Pick<
  Session,
  | 'id'
  | 'accountId'
  | 'name'
  | 'origins'
  | 'logIn'
  | 'check'
  | 'keepAliveS'
  | 'expiresInS'
  | 'secrets'
  | 'state'
>;

const FIRST_ID = '00000000-0000-0000-0000-000000000000';
/** More rows in one statement would hold their locks for too long. */
const MAX_AT_ONCE = 1_000;

/** The rows of sessions, as their owners see and end them. */
@Injectable()
export class SessionRepository {
  constructor(private readonly source: DataSource) {}

  /**
   * Stores a session: `active` with its state, or `pending`. Null when the account has `max` sessions already.
   *
   * @throws a violation of `sessions_by_name` when the account has a session of this name
   */
  async add(transaction: Transaction, session: NewSession, max: number): Promise<Session | null> {
    const { id, accountId, name, origins, logIn, check, keepAliveS, expiresInS, secrets, state } = session;
    // Two requests at once would both find the last place free.
    await lockForAccount(transaction, 'sessions', accountId);
    await transaction.query(
      `INSERT INTO sessions (id, account_id, name, status, origins, log_in, session_check, keep_alive_s, expires_in_s, secrets,
                             state, generation, expires_at)
       SELECT $1::uuid, $2::uuid, $3::text, CASE WHEN $10::bytea IS NULL THEN 'pending' ELSE 'active' END, $4::text[], $5::json,
              $6::json, $7::int, $8::int, $9::bytea, $10::bytea, CASE WHEN $10::bytea IS NULL THEN 0 ELSE 1 END,
              CASE WHEN $10::bytea IS NOT NULL THEN clock_timestamp() + $8::int * interval '1 s' END
        WHERE (SELECT count(*) FROM sessions WHERE account_id = $2 AND status <> 'revoked') < $11`,
      [
        ...[id, accountId, name, origins, toJson(logIn), toJson(check), keepAliveS, expiresInS],
        ...[secrets, state, max],
      ],
    );
    return transaction.getRepository(Session).findOneBy({ id });
  }

  /** Finds a session by its id, or by its name unless it is revoked. One whose time has passed is `expired`. */
  async find(accountId: string, nameOrId: string): Promise<Session | null> {
    const [session] = await this.listNamed(accountId, [nameOrId]);
    return session ?? null;
  }

  /** Finds the sessions with these names or ids, as `find` does, in no order. */
  async listNamed(accountId: string, namesOrIds: readonly string[]): Promise<Session[]> {
    const sessions = await this.source.getRepository(Session).find({
      where: [
        { accountId, id: In(namesOrIds.filter(isId)) },
        { accountId, name: In([...namesOrIds]), status: Not('revoked') },
      ],
    });
    return sessions.map(asItIs);
  }

  /** The sessions of the account that are not revoked, newest first. */
  async list(
    accountId: string,
    { limit, cursor }: { readonly limit: number; readonly cursor?: Cursor | undefined },
  ): Promise<ListPage<Session>> {
    const { createdAtMs, id } = cursor ?? { createdAtMs: Infinity, id: FIRST_ID };
    const isBefore = (column: string): string =>
      `(${column}, id) < (to_timestamp(:ms::float8 / 1000), :id::uuid)`;
    const sessions = await this.source.getRepository(Session).find({
      where: { accountId, status: Not('revoked'), createdAt: Raw(isBefore, { ms: createdAtMs, id }) },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: limit + 1,
    });
    return pageOfRows(sessions.map(asItIs), limit, ({ createdAt }) => createdAt);
  }

  /** any → revoked. Nothing secret is left. Returns the job of the log-in that is open, which has to be stopped. */
  async revoke(accountId: string, id: string): Promise<string | null> {
    const [[revoked]]: [{ log_in_job_id: string | null }[], number] = await this.source.query(
      `UPDATE sessions SET status = 'revoked', revoked_at = clock_timestamp(), secrets = NULL, state = NULL, error = NULL,
              log_in = NULL, session_check = NULL, checking_until = NULL
        WHERE account_id = $1 AND id = $2 AND status <> 'revoked' RETURNING log_in_job_id`,
      [accountId, id],
    );
    return revoked?.log_in_job_id ?? null;
  }

  /** active → expired for sessions whose time has passed: their state is deleted. Returns how many. */
  async expire(): Promise<number> {
    const [, expired]: [unknown, number] = await this.source.query(
      `UPDATE sessions SET status = 'expired', state = NULL, checking_until = NULL WHERE id IN (
         SELECT id FROM sessions WHERE status = 'active' AND expires_at <= clock_timestamp() LIMIT ${MAX_AT_ONCE}
            FOR NO KEY UPDATE SKIP LOCKED)`,
    );
    return expired;
  }

  /** Deletes the sessions of an account, whatever their state. */
  async deleteAllOf(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query(`DELETE FROM sessions WHERE account_id = $1`, [accountId]);
  }

  /** Deletes sessions that were revoked this long ago. Returns how many. */
  async purge(afterS: number): Promise<number> {
    const [, deleted]: [unknown, number] = await this.source.query(
      `DELETE FROM sessions WHERE id IN (
         SELECT id FROM sessions WHERE status = 'revoked' AND revoked_at < clock_timestamp() - $1 * interval '1 s'
          LIMIT ${MAX_AT_ONCE})`,
      [afterS],
    );
    return deleted;
  }
}

function toJson(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** The periodic task that expires sessions may not have come by yet. */
function asItIs(session: Session): Session {
  return session.isOverdue === true ? Object.assign(session, { status: 'expired' }) : session;
}
