import { FORMAT_CATALOGUE, type CaptureFilters, type CaptureRecord } from '@capture-service/client';
import { time } from '../../ui/format.js';

/** The filters of the API, which have the same names in the address of the page. */
export const FILTERS = [
  'status',
  'source',
  'format',
  'verdict',
  'changed',
  'has_error',
  'search',
  'host',
  'reference',
  'batch_id',
  'created_after',
  'created_before',
] as const satisfies readonly (keyof CaptureFilters)[];

export type FilterName = (typeof FILTERS)[number];
/** The filters as texts of the address. The API checks them: what is wrong there is shown as the API says it. */
export type Filters = Readonly<Partial<Record<FilterName, string>>>;

export const LABELS: Readonly<Record<FilterName, string>> = {
  status: 'Status',
  source: 'Source',
  format: 'Format',
  verdict: 'Verdict',
  changed: 'Change',
  has_error: 'Error',
  search: 'URL or title',
  host: 'Host',
  reference: 'Reference',
  batch_id: 'Batch',
  created_after: 'Created after',
  created_before: 'Created before',
};

type Choices<Value extends string> = Readonly<Record<Value, string>>;

const STATUS: Choices<CaptureRecord['status']> = {
  queued: 'Queued',
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
  canceled: 'Canceled',
};
const SOURCE: Choices<CaptureRecord['source']> = { sync: 'Request', job: 'Job', batch: 'Batch' };
const FORMAT: Choices<string> = Object.fromEntries(FORMAT_CATALOGUE.map(({ name, label }) => [name, label]));
const VERDICT: Choices<NonNullable<CaptureRecord['verdict']>['kind']> = {
  page: 'Page',
  blank: 'Blank',
  bot_wall: 'Bot check',
  login_wall: 'Log-in wall',
  error_page: 'Error page',
};

/** The values of the filters that have only a few. */
export const CHOICES: Readonly<Partial<Record<FilterName, Choices<string>>>> = {
  status: STATUS,
  format: FORMAT,
  verdict: VERDICT,
  source: SOURCE,
  changed: { true: 'Changed', false: 'Not changed' },
  has_error: { true: 'With an error', false: 'Without an error' },
};

/** Reads the filters from the query of the address. */
export function filtersOf(query: URLSearchParams): Filters {
  const entries = FILTERS.map((name) => [name, query.get(name)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== ''));
}

/** The query with these filters changed; an empty value removes one. Everything else in it is kept. */
export function withFilters(query: URLSearchParams, changes: Filters): URLSearchParams {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  return next;
}

export function withoutFilters(query: URLSearchParams): URLSearchParams {
  return withFilters(query, Object.fromEntries(FILTERS.map((name) => [name, ''])));
}

/** The filters for the API, which has types for them. */
export function forApi(filters: Filters): CaptureFilters {
  return filters as CaptureFilters;
}

/** The value of a filter in words. */
export function valueText(name: FilterName, value: string): string {
  const choice = CHOICES[name]?.[value];
  if (choice !== undefined) return choice;
  const isTime = name.startsWith('created_') && !Number.isNaN(Date.parse(value));
  return isTime ? time(value) : value;
}
