import { AUDIT_ACTIONS, type AuditAction, type AuditFilter } from '@app/audit';
import { HEALTH_HISTORY_DAYS } from '@app/health';
import { Choice, compose, isId, Text, Whole } from '@app/kernel';
import { creationOf, ListQuery, PageQuery } from '../http/page.query.js';
import { DaysQuery } from '../usage/days.query.js';

const ACCOUNT_RULE = {
  max: 36,
  check: (text: string) => (isId(text) ? undefined : 'must be the id of an account'),
};

class KeyFilters {
  @Text('Only keys of this account.', ACCOUNT_RULE)
  account_id?: string;
}

class AuditFilters {
  @Choice(AUDIT_ACTIONS, 'Only changes of this kind.')
  action?: AuditAction;

  @Text('Only changes that concern this account.', ACCOUNT_RULE)
  account_id?: string;

  @Text('Only changes that were made with this key.', { max: 50 })
  actor_key_id?: string;

  @Text('Only changes of this account, key, worker or batch.', { max: 50 })
  subject_id?: string;
}

/** Query of `GET /v1/admin/queue`. */
export class QueueQuery {
  @Text('Only this account, apart from the lanes.', ACCOUNT_RULE)
  account_id?: string;
}

/** Query of `GET /v1/admin/health`. */
export class HealthHistoryQuery {
  @Whole('Days up to now.', { min: 1, max: HEALTH_HISTORY_DAYS })
  days = 7;
}

export const USAGE_FORMATS = ['json', 'csv'] as const;

class UsageFields {
  @Text('Only the usage of this account.', ACCOUNT_RULE)
  account_id?: string;

  @Choice(USAGE_FORMATS, '`csv` has one row for each account and day with captures, of all accounts.')
  format?: (typeof USAGE_FORMATS)[number];
}

/** Query of `GET /v1/admin/keys`. */
export const KeysQuery = compose('KeysQuery', [KeyFilters, ListQuery]);
export type KeysQuery = InstanceType<typeof KeysQuery>;

/** Query of `GET /v1/admin/audit`. */
export const AuditQuery = compose('AuditQuery', [AuditFilters, PageQuery]);
export type AuditQuery = InstanceType<typeof AuditQuery>;

/** Query of `GET /v1/admin/usage`. */
export const AdminUsageQuery = compose('AdminUsageQuery', [UsageFields, DaysQuery, ListQuery]);
export type AdminUsageQuery = InstanceType<typeof AdminUsageQuery>;

export function auditFilterOf(query: AuditQuery): AuditFilter {
  const { action, account_id: accountId, actor_key_id: actorKeyId, subject_id: subjectId } = query;
  return { action, accountId, actorKeyId, subjectId, ...creationOf(query) };
}
