import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';
import type { ErrorBody } from '@app/kernel';
import { MAX_FAILED_LOG_INS } from './session-status.js';

/** How the job of a log-in ended. */
export type LogInEnd =
  | { readonly kind: 'succeeded'; readonly state: Buffer }
  | { readonly kind: 'failed'; readonly error: ErrorBody }
  /** It was canceled: that says nothing about the log-in. */
  | { readonly kind: 'canceled' };

/** The state of a session at the end of a capture, sealed, and the generation that it was made of. */
export interface KeptState {
  readonly generation: number;
  readonly sealed: Buffer;
}

/** A worker that checks a session and falls silent is waited for this long. */
const CHECK_LEASE_MS = 45_000;

/** The moves of sessions. Each is one conditional UPDATE; false means that another process was first. */
@Injectable()
export class SessionLifeRepository {
  constructor(private readonly source: DataSource) {}

  /**
   * Makes the job the log-in of the session, unless one is open, the session is over, or it has got another state meanwhile.
   *
   * @param generation the one that is to be replaced
   */
  async beginLogIn(
    transaction: Transaction,
    { id, generation }: { readonly id: string; readonly generation: number },
    jobId: string,
  ): Promise<boolean> {
    return changed(
      await transaction.query(
        `UPDATE sessions SET log_in_job_id = $3
          WHERE id = $1 AND generation = $2 AND status IN ('pending', 'active') AND log_in_job_id IS NULL AND log_in IS NOT NULL`,
        [id, generation, jobId],
      ),
    );
  }

  /** failed | expired → pending: its owner asks for a log-in. Past failures no longer count, whatever the state is. */
  async reopen(transaction: Transaction, id: string): Promise<void> {
    await transaction.query(
      `UPDATE sessions SET failures = 0, status = CASE WHEN status = 'active' THEN status ELSE 'pending' END
        WHERE id = $1 AND status <> 'revoked'`,
      [id],
    );
  }

  /** Ends the log-in that this job is, if it is one. To be called in the transaction that ends the job. */
  async endLogIn(transaction: Transaction, { id, jobId }: LogInJob, end: LogInEnd): Promise<void> {
    const { sql, values } = END[end.kind](end);
    await transaction.query(
      `UPDATE sessions SET log_in_job_id = NULL, last_job_id = $2, ${sql}
        WHERE id = $1 AND log_in_job_id = $2 AND status <> 'revoked'`,
      [id, jobId, ...values],
    );
  }

  /** Replaces the state that a capture has used by what it has become, unless the session has another one by now. */
  async save(
    transaction: Transaction,
    { id, generation }: { readonly id: string; readonly generation: number },
    state: Buffer,
  ): Promise<void> {
    await transaction.query(
      `UPDATE sessions SET state = $3, generation = generation + 1
        WHERE id = $1 AND generation = $2 AND status = 'active'`,
      [id, generation, state],
    );
  }

  /** Takes the check of a session that is due; false when it is not, or when another worker checks it. */
  async beginCheck({
    id,
    generation,
  }: {
    readonly id: string;
    readonly generation: number;
  }): Promise<boolean> {
    return changed(
      await this.source.query(
        `UPDATE sessions SET checking_until = clock_timestamp() + ${CHECK_LEASE_MS} * interval '1 ms'
          WHERE id = $1 AND generation = $2 AND status = 'active' AND session_check IS NOT NULL
            AND (checking_until IS NULL OR checking_until < clock_timestamp())
            AND (checked_at IS NULL OR checked_at < clock_timestamp() - keep_alive_s * interval '1 s')`,
        [id, generation],
      ),
    );
  }

  /** The session works. */
  async passCheck({ id, generation }: { readonly id: string; readonly generation: number }): Promise<void> {
    await this.source.query(
      `UPDATE sessions SET checking_until = NULL, checked_at = clock_timestamp(), error = NULL
        WHERE id = $1 AND generation = $2 AND status = 'active'`,
      [id, generation],
    );
  }

  /** Another worker may check the session: this one could not. */
  async releaseCheck({
    id,
    generation,
  }: {
    readonly id: string;
    readonly generation: number;
  }): Promise<void> {
    await this.source.query(
      `UPDATE sessions SET checking_until = NULL WHERE id = $1 AND generation = $2 AND status = 'active'`,
      [id, generation],
    );
  }

  /** pending | active → failed: SECRETS_KEY is another one than sealed the session. Its state is kept for the earlier key. */
  async fail(
    { id, generation }: { readonly id: string; readonly generation: number },
    error: ErrorBody,
  ): Promise<void> {
    await this.source.query(
      `UPDATE sessions SET status = 'failed', checking_until = NULL, error = $3::jsonb
        WHERE id = $1 AND generation = $2 AND status IN ('pending', 'active')`,
      [id, generation, JSON.stringify(error)],
    );
  }

  /** failed → active, for a session whose state can be read again. Its check is due. */
  async reinstate({ id, generation }: { readonly id: string; readonly generation: number }): Promise<void> {
    await this.source.query(
      `UPDATE sessions SET status = 'active', error = NULL, checked_at = NULL
        WHERE id = $1 AND generation = $2 AND status = 'failed' AND error ->> 'code' = 'secrets_unreadable' AND state IS NOT NULL`,
      [id, generation],
    );
  }

  /** active → pending, or failed if it cannot log in: the site no longer knows this state of the session. */
  async end(
    { id, generation }: { readonly id: string; readonly generation: number },
    error: ErrorBody | null,
  ): Promise<void> {
    await this.source.query(
      `UPDATE sessions SET checking_until = NULL, error = coalesce($3::jsonb, error),
              status = CASE WHEN log_in IS NULL THEN 'failed' ELSE 'pending' END
        WHERE id = $1 AND generation = $2 AND status = 'active'`,
      [id, generation, error && JSON.stringify(error)],
    );
  }
}

/** A session, and a job that may be its log-in. */
interface LogInJob {
  readonly id: string;
  readonly jobId: string;
}

const END = {
  succeeded: (end) => ({
    sql: `status = 'active', state = $3, generation = generation + 1, failures = 0, error = NULL, checking_until = NULL,
          logged_in_at = clock_timestamp(), checked_at = clock_timestamp(),
          expires_at = clock_timestamp() + expires_in_s * interval '1 s'`,
    values: end.kind === 'succeeded' ? [end.state] : [],
  }),
  failed: (end) => ({
    sql: `failures = failures + 1, error = $3::jsonb,
          status = CASE WHEN failures + 1 >= ${MAX_FAILED_LOG_INS} OR $3::jsonb ->> 'code' = 'secrets_unreadable' THEN 'failed'
                        ELSE 'pending' END`,
    values: end.kind === 'failed' ? [JSON.stringify(end.error)] : [],
  }),
  canceled: () => ({ sql: 'error = error', values: [] }),
} satisfies Record<
  LogInEnd['kind'],
  (end: LogInEnd) => { readonly sql: string; readonly values: readonly unknown[] }
>;

function changed([, count]: [unknown, number]): boolean {
  return count > 0;
}
