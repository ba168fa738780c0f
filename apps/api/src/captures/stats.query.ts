import { STATS_BUCKETS, type StatsBucket } from '@app/jobs';
import { AppError, Choice, Text, type Fault } from '@app/kernel';
import { TIME_RULE } from '../http/time-rule.js';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
/** A year of hours would be 8,760 buckets. */
const MAX_DAYS: Record<StatsBucket, number> = { hour: 31, day: 731 };

/** Query of `GET /v1/captures/stats`. */
export class StatsQuery {
  @Text('Start of the range, inclusive; default: 30 days before its end.', TIME_RULE)
  from?: string;

  @Text('End of the range, exclusive; default: now.', TIME_RULE)
  to?: string;

  @Choice(
    STATS_BUCKETS,
    'Length of a bucket of the series (UTC); hours for at most 31 days, days for at most 731.',
  )
  bucket: StatsBucket = 'day';
}

/** Times are ms since the epoch. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** @throws AppError `invalid_request` when the range is empty or too long */
export function rangeOf({ from, to, bucket }: StatsQuery, now: Date): Range {
  const end = to === undefined ? now.getTime() : Date.parse(to);
  const start = from === undefined ? end - DEFAULT_DAYS * DAY_MS : Date.parse(from);
  if (start >= end) throw badRange('must be earlier than to');
  const days = MAX_DAYS[bucket];
  if (end - start > days * DAY_MS)
    throw badRange(`must be at most ${days} days before to for bucket ${bucket}`);
  return { from: start, to: end };
}

function badRange(detail: string): AppError {
  const fault: Fault = { pointer: '/from', code: 'invalid_value', detail };
  return new AppError('invalid_request', { detail: `from ${detail}`, errors: [fault] });
}
