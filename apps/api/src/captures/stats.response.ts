import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import {
  noCounts,
  STATS_BUCKETS,
  type StatsCounts,
  type Percentiles,
  type Stats,
  type StatsBucket,
} from '@app/jobs';
import { counts, refOrNull, TIME } from '../openapi/schemas.js';
import type { Range } from './stats.query.js';

const BUCKET_MS: Record<StatsBucket, number> = { hour: 3_600_000, day: 86_400_000 };

class CaptureCounts implements StatsCounts {
  @ApiProperty({ type: 'integer' })
  total!: number;

  @ApiProperty({
    type: 'integer',
    description: 'Total size of all files; files that the cache showed again count once.',
  })
  bytes!: number;

  @ApiProperty(counts('By status.'))
  status!: StatsCounts['status'];

  @ApiProperty(counts('By source.'))
  source!: StatsCounts['source'];

  @ApiProperty(counts('By format of the first file, as far as they occur.'))
  format!: StatsCounts['format'];

  @ApiProperty(counts('By error code, as far as they occur.'))
  error_code!: StatsCounts['error_code'];

  @ApiProperty(counts('By source, the captures that were charged.'))
  charged!: StatsCounts['charged'];
}

export class StatsSeriesItem extends CaptureCounts {
  @ApiProperty({ ...TIME, description: 'Start of the bucket.' })
  start!: string;
}

class StatsRange {
  @ApiProperty(TIME)
  from!: string;

  @ApiProperty(TIME)
  to!: string;

  @ApiProperty({
    ...TIME,
    description:
      'Captures created before this time are counted. It equals `to`, except under heavy load: the newest captures are then counted with a delay of minutes, or after the hour in which they were created.',
  })
  counted_until!: string;

  @ApiProperty({ enum: STATS_BUCKETS })
  bucket!: StatsBucket;
}

/** Statistics of the captures that were created in a range of time. */
export class CaptureStats extends IntersectionType(StatsRange, CaptureCounts) {
  @ApiProperty(refOrNull('Percentiles'))
  queue_ms!: Percentiles | null;

  @ApiProperty(refOrNull('Percentiles'))
  total_ms!: Percentiles | null;

  @ApiProperty({ type: [StatsSeriesItem], description: 'All buckets of the range, oldest first.' })
  series!: StatsSeriesItem[];
}

export function toStats(stats: Stats, { from, to }: Range, bucket: StatsBucket): CaptureStats {
  const step = BUCKET_MS[bucket];
  const known = new Map(stats.series.map(({ startMs, ...item }) => [startMs, item]));
  const first = Math.floor(from / step) * step;
  const series = Array.from({ length: Math.ceil((to - first) / step) }, (_, i) => {
    const start = first + i * step;
    return { start: new Date(start).toISOString(), ...(known.get(start) ?? noCounts()) };
  });
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    counted_until: new Date(stats.countedUntilMs).toISOString(),
    bucket,
    ...stats.counts,
    queue_ms: stats.queueMs,
    total_ms: stats.totalMs,
    series,
  };
}
