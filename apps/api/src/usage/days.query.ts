import { AppError, Text, type Fault } from '@app/kernel';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
/** As in `GET /v1/captures/stats`. */
const MAX_DAYS = 731;

const DATE_RULE = { min: 0, max: 40, check: dateFault, example: '2026-11-01' };

/** Query of `GET /v1/usage/days`. */
export class DaysQuery {
  @Text('First day (UTC); default: 30 days before `to`.', DATE_RULE)
  from?: string;

  @Text('The day after the last one (UTC); default: tomorrow, so that today is the last.', DATE_RULE)
  to?: string;
}

/** Midnights in UTC, in ms since the epoch; `to` is exclusive. */
export interface DayRange {
  readonly from: number;
  readonly to: number;
}

/** @throws AppError `invalid_request` when the range is empty or too long */
export function dayRangeOf({ from, to }: DaysQuery, now: Date): DayRange {
  const tomorrow = (Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS;
  const end = to === undefined ? tomorrow : Date.parse(to);
  const start = from === undefined ? end - DEFAULT_DAYS * DAY_MS : Date.parse(from);
  if (start >= end) throw badRange('must be earlier than to, which is the day after the last one');
  if (end - start > MAX_DAYS * DAY_MS) throw badRange(`must be at most ${MAX_DAYS} days before to`);
  return { from: start, to: end };
}

/** `2026-11-01`. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The midnights of the days of a range. */
export function daysOf({ from, to }: DayRange): number[] {
  return Array.from({ length: (to - from) / DAY_MS }, (_, i) => from + i * DAY_MS);
}

/** `Date.parse` reads the 31st of February as the 3rd of March. A default `from` must be a date as well. */
function dateFault(text: string): string | undefined {
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : NaN;
  const isDate = ms >= Date.parse('0002-01-01') && dayOf(ms) === text;
  return isDate ? undefined : 'must be a date such as 2026-11-01; a day begins and ends at midnight in UTC';
}

function badRange(detail: string): AppError {
  const fault: Fault = { pointer: '/from', code: 'invalid_value', detail };
  return new AppError('invalid_request', { detail: `from ${detail}`, errors: [fault] });
}
