import type { UsageDays } from '@capture-service/client';
import { byCount } from './breakdown.js';

const COUNTS = ['total', 'used', 'in_progress', 'cached', 'failed', 'canceled'] as const;

/**
 * The days as CSV (RFC 4180) with the names of the API; a column for each source (`charged_sync`) and error code
 * (`failed_capture_timeout`). All values are numbers and days, so that none needs quotes.
 */
export function daysCsv(usage: UsageDays): string {
  const sources = Object.keys(usage.charged_by_source);
  const codes = byCount(usage.error_code);
  const head = [
    'day',
    ...COUNTS,
    'charged',
    ...sources.map((source) => `charged_${source}`),
    ...codes.map((code) => `failed_${code}`),
  ];
  const rows = usage.days.map((day) => [
    day.day,
    ...COUNTS.map((name) => day[name]),
    day.charged,
    ...sources.map((source) => day.charged_by_source[source] ?? 0),
    ...codes.map((code) => day.error_code[code] ?? 0),
  ]);
  return [head, ...rows].map((row) => `${row.join(',')}\r\n`).join('');
}
