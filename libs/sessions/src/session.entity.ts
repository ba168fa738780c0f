import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import type { ErrorBody } from '@app/kernel';
import type { SessionStatus } from './session-status.js';

/** How a session logs in, without its secrets. */
export interface LogIn {
  readonly url: string;
  /** None with a recording. */
  readonly actions: readonly object[];
  /** As Chrome's DevTools export it. */
  readonly recording?: { readonly steps?: readonly object[] } | undefined;
  /** Hosts to which the key of its owner is limited, for its check, too; without it all. */
  readonly allowed_hosts?: readonly string[];
}

/** The page that shows whether the session works, and what it shows then. */
export interface SessionCheck {
  readonly url: string;
  readonly selector: string;
  /** As of a log-in, for a session without one. */
  readonly allowed_hosts?: readonly string[];
}

/** What a browser keeps after a log-in to a site, for the captures of an account. */
@Entity('sessions')
export class Session {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  /** Unique among the sessions of the account that are not revoked. */
  @Column('text')
  name!: string;

  @Column('text')
  status!: SessionStatus;

  /** The only sites that get anything of the session; never changed. */
  @Column('text', { array: true })
  origins!: string[];

  /** Null for a session that was given its state and cannot log in. */
  @Column('json', { name: 'log_in', nullable: true })
  logIn!: LogIn | null;

  @Column('json', { name: 'session_check', nullable: true })
  check!: SessionCheck | null;

  @Column('integer', { name: 'keep_alive_s' })
  keepAliveS!: number;

  @Column('integer', { name: 'expires_in_s' })
  expiresInS!: number;

  /** The secrets of the log-in, encrypted; null without any, and once the session is revoked. */
  @Column({ type: 'bytea', nullable: true })
  secrets!: Buffer | null;

  /** The state of the browser, encrypted; null while there is none. */
  @Column({ type: 'bytea', nullable: true })
  state!: Buffer | null;

  /** Counts the states that the session has had. */
  @Column('integer')
  generation!: number;

  /** Log-ins that failed in a row. */
  @Column({ type: 'int2' })
  failures!: number;

  /** What the last log-in or check failed with; null once one has succeeded. */
  @Column('jsonb', { nullable: true })
  error!: ErrorBody | null;

  /** The job of the log-in that is open. */
  @Column('uuid', { name: 'log_in_job_id', nullable: true })
  logInJobId!: string | null;

  /** The job of the last log-in that has ended; its file is the picture of what it saw. */
  @Column('uuid', { name: 'last_job_id', nullable: true })
  lastJobId!: string | null;

  /** A worker checks the session until then at the latest. */
  @Column({ type: 'timestamptz', name: 'checking_until', precision: 3, nullable: true })
  checkingUntil!: Date | null;

  @Column({ type: 'timestamptz', name: 'checked_at', precision: 3, nullable: true })
  checkedAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'logged_in_at', precision: 3, nullable: true })
  loggedInAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt!: Date;

  /** Null before the first state. */
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3, nullable: true })
  expiresAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'revoked_at', precision: 3, nullable: true })
  revokedAt!: Date | null;

  /** Whether its time has passed, by the database's clock when the row was read. */
  @VirtualColumn({
    type: 'boolean',
    query: (alias) => `${alias}.status = 'active' AND ${alias}.expires_at <= clock_timestamp()`,
  })
  isOverdue?: boolean;

  /** Whether a worker must check the session before it is used, by the same clock. */
  @VirtualColumn({
    type: 'boolean',
    query: (alias) =>
      `${alias}.session_check IS NOT NULL AND coalesce(${alias}.checked_at < clock_timestamp() - ${alias}.keep_alive_s * interval '1 s', true)`,
  })
  isCheckDue?: boolean;
}
