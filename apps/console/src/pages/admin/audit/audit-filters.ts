import type { AuditFilters, AuditRecord } from '@capture-service/client';

/** What can happen, in words. */
export const ACTIONS: Readonly<Record<AuditRecord['action'], string>> = {
  'account.created': 'Account created',
  'account.changed': 'Account changed',
  'account.paused': 'Account paused',
  'account.resumed': 'Account resumed',
  'account.deletion_started': 'Deletion of an account begun',
  'account.deleted': 'Account deleted',
  'account.webhook_secret_rotated': 'Secret of webhooks rotated',
  'key.created': 'Key created',
  'key.changed': 'Key changed',
  'key.rotated': 'Key rotated',
  'key.revoked': 'Key revoked',
  'worker.drain_started': 'Worker drained',
  'worker.resumed': 'Worker resumed',
  'batch.canceled': 'Batch canceled',
  'key.signing_secret_rotated': 'Secret of links rotated',
  'key.signing_secret_retired': 'Earlier secret of links ended',
};

/** The filters of the API, which have the same names in the address of the page. */
const FILTERS = [
  'action',
  'account_id',
  'subject_id',
  'actor_key_id',
  'created_after',
  'created_before',
] as const satisfies readonly (keyof AuditFilters)[];

export type FilterName = (typeof FILTERS)[number];
/** The filters as texts of the address. The API checks them: what is wrong there is shown as the API says it. */
export type Filters = Readonly<Partial<Record<FilterName, string>>>;

/** Reads the filters from the query of the address. */
export function filtersOf(query: URLSearchParams): Filters {
  const entries = FILTERS.map((name) => [name, query.get(name)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== ''));
}

/** The query with a filter changed; an empty value removes it. */
export function withFilter(query: URLSearchParams, name: FilterName, value: string): URLSearchParams {
  const next = new URLSearchParams(query);
  if (value === '') next.delete(name);
  else next.set(name, value);
  return next;
}

export function requestOf(filters: Filters): AuditFilters {
  return filters as AuditFilters;
}
