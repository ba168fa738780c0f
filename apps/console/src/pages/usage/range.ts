/** The chosen range of days, in UTC, both inclusive. */
export interface DayRange {
  readonly first: string;
  readonly last: string;
  /** The preset that it is of. */
  readonly preset?: number;
}

export const PRESETS = [7, 30, 90] as const;
const DEFAULT_DAYS = 30;

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

const SHORT = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const FULL = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** The day in UTC, such as `2026-11-22`, as the API counts. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export function addDays(day: string, days: number): string {
  return dayOf(Date.parse(day) + days * DAY_MS);
}

/** `22 Nov` */
export function shortDay(day: string): string {
  return SHORT.format(new Date(day));
}

/** `Sun, 22 Nov 2026` */
export function fullDay(day: string): string {
  return FULL.format(new Date(day));
}

/** The range in the address of the page: a preset, two days, or what is not understood as the default. */
export function rangeOf(search: URLSearchParams, today: string): DayRange {
  const first = search.get('from');
  const last = search.get('to');
  if (isDay(first) && isDay(last)) return { first, last };
  const asked = Number(search.get('days'));
  const preset = PRESETS.find((days) => days === asked) ?? DEFAULT_DAYS;
  return { first: addDays(today, 1 - preset), last: today, preset };
}

function isDay(value: string | null): value is string {
  return value !== null && DAY.test(value) && !Number.isNaN(Date.parse(value));
}

/** The range as the API takes it: `to` is the day after the last one. */
export function queryOf({ first, last }: DayRange): { from: string; to: string } {
  return { from: first, to: addDays(last, 1) };
}
