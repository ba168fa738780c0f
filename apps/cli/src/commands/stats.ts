import type { CaptureStats } from '@capture-service/client';
import { Option, type Command } from 'commander';
import type { CliContext } from '../context/cli-context.js';
import { addCommand } from '../context/global-options.js';
import { factsOf, printRecord, durationText, sizeText } from '../terminal/output.js';

interface Range {
  readonly from?: string;
  readonly to?: string;
  readonly bucket?: 'hour' | 'day';
}

/** `capture stats`. */
export function registerStats(program: Command, context: CliContext): void {
  addCommand(program, 'stats', 'counts, sizes and durations of captures')
    .option('--from <time>', 'start, such as 2026-11-01T00:00:00Z (default: 30 days before the end)')
    .option('--to <time>', 'end (default: now)')
    .addOption(
      new Option('--bucket <length>', 'hour or day: length of a bucket of the series, for --json').choices([
        'hour',
        'day',
      ]),
    )
    .action(async ({ from, to, bucket }: Range) => {
      const range = { ...(from && { from }), ...(to && { to }), ...(bucket && { bucket }) };
      const stats = await context.client().captures.stats(range, { signal: context.signal });
      await printRecord(context, stats, () => textOf(stats));
    });
}

function textOf({
  from,
  to,
  total,
  bytes,
  status,
  source,
  format,
  error_code: errors,
  ...stats
}: CaptureStats): string {
  return factsOf([
    ['from', from],
    ['to', to],
    ['captures', total],
    ['by status', counts(status)],
    ['by source', counts(source)],
    ['by format', counts(format)],
    ['errors', counts(errors)],
    ['files', sizeText(bytes)],
    ['time in queue', percentiles(stats.queue_ms)],
    ['total time', percentiles(stats.total_ms)],
  ]);
}

function counts(numbers: Readonly<Record<string, number>>): string | null {
  const parts = Object.entries(numbers).filter(([, count]) => count > 0);
  return parts.length === 0 ? null : parts.map(([name, count]) => `${name} ${count}`).join(', ');
}

const percentiles = (ms: CaptureStats['queue_ms']): string | null =>
  ms && `p50 ${durationText(ms.p50)}, p95 ${durationText(ms.p95)}, p99 ${durationText(ms.p99)}`;
