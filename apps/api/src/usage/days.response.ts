import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { noCounts, type JobSource, type Stats, type StatsCounts } from '@app/jobs';
import { counts, TIME } from '../openapi/schemas.js';
import { dayOf, daysOf, type DayRange } from './days.query.js';

const DATE = { type: 'string', format: 'date', example: '2026-11-01' } as const;

class ChargeCounts {
  @ApiProperty({
    type: 'integer',
    description: 'Captures that were accepted: those charged, in progress, cached, failed and canceled.',
  })
  total!: number;

  @ApiProperty({
    type: 'integer',
    description: '`charged` and `in_progress`. The sum over a month is the `used` of that month.',
  })
  used!: number;

  @ApiProperty({ type: 'integer', description: 'Captures that succeeded with a visit of the page.' })
  charged!: number;

  @ApiProperty(counts('The captures that were charged, by source.'))
  charged_by_source!: Record<JobSource, number>;

  @ApiProperty({
    type: 'integer',
    description: 'Captures that are queued or running, each of which has a unit.',
  })
  in_progress!: number;

  @ApiProperty({ type: 'integer', description: 'Not charged: captures that the cache answered.' })
  cached!: number;

  @ApiProperty({ type: 'integer', description: 'Not charged: captures that failed.' })
  failed!: number;

  @ApiProperty({ type: 'integer', description: 'Not charged: captures that were canceled.' })
  canceled!: number;

  @ApiProperty(counts('The captures that failed, by error code, as far as they occur.'))
  error_code!: Record<string, number>;
}

export class UsageDay extends ChargeCounts {
  @ApiProperty({ ...DATE, description: 'The day (UTC) on which the captures were accepted.' })
  day!: string;
}

class DaysRange {
  @ApiProperty({ ...DATE, description: 'The first day.' })
  from!: string;

  @ApiProperty({ ...DATE, description: 'The day after the last one.' })
  to!: string;

  @ApiProperty({
    ...TIME,
    description:
      'Captures accepted before this time are counted. It is the end of the range, except under heavy load: the newest captures are then counted with a delay of minutes, or after the hour in which they were accepted.',
  })
  counted_until!: string;
}

/** The use of the allowance in a range of days, in total and by day. */
export class UsageDays extends IntersectionType(DaysRange, ChargeCounts) {
  @ApiProperty({ type: [UsageDay], description: 'All days of the range, oldest first.' })
  days!: UsageDay[];
}

export function toUsageDays(
  { counts: sums, series, countedUntilMs }: Omit<Stats, 'queueMs' | 'totalMs'>,
  range: DayRange,
): UsageDays {
  const known = new Map<number, StatsCounts>(series.map(({ startMs, ...day }) => [startMs, day]));
  return {
    from: dayOf(range.from),
    to: dayOf(range.to),
    counted_until: new Date(countedUntilMs).toISOString(),
    ...toCharges(sums),
    days: daysOf(range).map((start) => ({ day: dayOf(start), ...toCharges(known.get(start) ?? noCounts()) })),
  };
}

function toCharges({ total, status, charged: bySource, error_code }: StatsCounts): ChargeCounts {
  const { queued, running, succeeded, failed, canceled } = status;
  const charged = Object.values(bySource).reduce((sum, captures) => sum + captures, 0);
  const inProgress = queued + running;
  return {
    total,
    used: charged + inProgress,
    charged,
    charged_by_source: bySource,
    in_progress: inProgress,
    cached: succeeded - charged,
    failed,
    canceled,
    error_code,
  };
}
