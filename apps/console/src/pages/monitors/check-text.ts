import type { MonitorCheck, MonitorRecord } from '@capture-service/client';
import { FORMATS } from '../../capture-record/files.js';

const REASONS: Readonly<Record<string, string>> = {
  first: 'the first capture',
  unconfirmed: 'a change was gone when the page was captured again',
  small: 'the change was smaller than the least that counts',
  verdict: 'the capture shows no page, such as a bot wall',
  baseline_missing: 'the file to compare with is gone; this capture takes its place',
  not_compared: 'the files could not be compared',
  overlap: 'the check before was not over',
  paused: 'the monitor was paused',
  allowance: 'the allowance was at its end',
  replaced: 'other pages are watched now',
};

const OUTCOMES: Readonly<Record<string, string>> = {
  same: 'Same',
  changed: 'Changed',
  failed: 'Failed',
  ignored: 'Ignored',
  skipped: 'Skipped',
};

/** The outcome in a word. */
export function outcomeText({ outcome }: MonitorCheck): string {
  return outcome === null ? 'In progress' : (OUTCOMES[outcome] ?? outcome);
}

/** What a check found, in a line; empty when there is nothing to add to its outcome. */
export function checkText({ outcome, reason, change, error }: MonitorCheck): string {
  if (error) return `${error.code}: ${error.detail}`;
  if (reason !== null) return REASONS[reason] ?? reason;
  if (outcome !== 'changed' || !change) return '';
  return change.summary ?? percentText(change.ratio ?? 0);
}

export function percentText(ratio: number): string {
  return `${new Intl.NumberFormat('en', { maximumSignificantDigits: 2 }).format(ratio * 100)} % changed`;
}

export function scheduleText({ schedule }: Pick<MonitorRecord, 'schedule'>): string {
  if ('cron' in schedule) return `${schedule.cron} (${schedule.timezone})`;
  return `every ${periodText(schedule.every_s)}`;
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

function periodText(seconds: number): string {
  const [unit, size] = UNITS.find(([, each]) => seconds % each === 0) ?? UNITS[3];
  const count = seconds / size;
  return count === 1 ? unit : `${count} ${unit}s`;
}

/** The pages of a monitor, by their numbers from 1. */
export function pagesOf({ capture, batch }: Pick<MonitorRecord, 'capture' | 'batch'>) {
  const all = capture ? [capture] : (batch?.items ?? []);
  return all.map((options, i) => ({
    number: i + 1,
    url: typeof options.url === 'string' ? options.url : 'HTML',
    isPicture: isPicture(options.format),
  }));
}

function isPicture(format: unknown): boolean {
  return FORMATS.get(typeof format === 'string' ? format : 'png')?.kind === 'picture';
}

/** The capture whose picture stands for a check; undefined when its files are gone or are no pictures. */
export function pictureOf(check: MonitorCheck, monitor: MonitorRecord): string | undefined {
  const page = pagesOf(monitor).find(({ number }) => number === check.page);
  const hasFile = check.files_kept && (check.outcome === 'same' || check.outcome === 'changed');
  return hasFile && page?.isPicture ? check.capture_ids.at(-1) : undefined;
}
