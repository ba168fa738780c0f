import type { ListPage } from '@app/kernel';

/** What can happen to keys and accounts, and what operators do to workers and to batches of accounts. */
export const AUDIT_ACTIONS = [
  'account.created',
  'account.changed',
  'account.paused',
  'account.resumed',
  'account.deletion_started',
  'account.deleted',
  'account.webhook_secret_rotated',
  'key.created',
  'key.changed',
  'key.rotated',
  'key.revoked',
  'key.signing_secret_rotated',
  'key.signing_secret_retired',
  'worker.drain_started',
  'worker.resumed',
  'batch.canceled',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Who changed something, and from where. */
export interface Actor {
  /**
   * `key`: over HTTP; `command`: by a command on the machine; `service`: the service itself, in the background; `sign_on`: a
   * person who logs in by single sign-on, whom `key_name` names.
   */
  readonly kind: 'key' | 'command' | 'service' | 'sign_on';
  readonly key_id: string | null;
  readonly key_name: string | null;
  readonly account_id: string | null;
  /** The address of the client; null on the machine. */
  readonly address: string | null;
  readonly request_id: string | null;
}

/** Names and values of what was changed, without secrets. */
export type Facts = Readonly<Record<string, unknown>>;

/** A change to be recorded. */
export interface Change {
  readonly action: AuditAction;
  /** The account that it concerns. */
  readonly accountId: string | null;
  /** The id of the account, the key, the worker or the batch that was changed. */
  readonly subjectId: string;
  readonly before?: Facts;
  readonly after?: Facts;
}

/** A change that was recorded. */
export interface AuditEvent {
  readonly id: string;
  readonly at: Date;
  readonly action: AuditAction;
  readonly accountId: string | null;
  readonly subjectId: string;
  readonly actor: Actor;
  readonly before: Facts | null;
  readonly after: Facts | null;
}

export type AuditPage = ListPage<AuditEvent>;

const NOBODY = { key_id: null, key_name: null, account_id: null, address: null, request_id: null } as const;

/** A command on the machine of the service, whose operator it cannot tell apart. */
export const COMMAND: Actor = { kind: 'command', ...NOBODY };
/** What the service does in the background. */
export const SERVICE: Actor = { kind: 'service', ...NOBODY };
