import type { Notice } from '@app/webhooks';
import type { CheckRecord, ChangePictures, MonitorSummary } from '../monitor-record.js';
import type { AlertKind, PauseReason } from '../monitor-state.js';

/** What an event of a monitor says. */
export interface EventData {
  readonly monitor: MonitorSummary;
  readonly check: CheckRecord | null;
  readonly pictures: ChangePictures | null;
}

const TITLES = {
  changed: 'has changed',
  failed: 'could not be captured',
  recovered: 'could be captured again',
  paused: 'is paused',
} as const satisfies Record<AlertKind | 'paused', string>;

const MOODS = {
  changed: 'news',
  failed: 'bad',
  recovered: 'good',
  paused: 'bad',
} as const satisfies Record<AlertKind | 'paused', Notice['mood']>;

const PAUSES = {
  request: 'It was paused on request.',
  failures: 'Its checks failed too many times in a row. Resume it when its pages can be captured again.',
  allowance: 'The allowance of the account is at its end. Resume it when there is more.',
} as const satisfies Record<PauseReason, string>;

const PICTURE_NAMES = { marked: 'What changed', before: 'Before', after: 'After' } as const;

/** The event in words, for those who read no JSON. */
export function noticeOf(type: AlertKind | 'paused', { monitor, check, pictures }: EventData): Notice {
  return {
    title: `${monitor.name} ${TITLES[type]}${summaryOf(type, check)}`,
    mood: MOODS[type],
    url: check?.url ?? null,
    lines: linesOf(type, monitor, check),
    pictures: pictures === null ? [] : picturesOf(pictures, check),
  };
}

function summaryOf(type: AlertKind | 'paused', check: CheckRecord | null): string {
  const summary = type === 'changed' ? check?.change?.summary : null;
  return typeof summary === 'string' ? `: ${summary}` : '';
}

function linesOf(
  type: AlertKind | 'paused',
  { pause_reason: reason }: MonitorSummary,
  check: CheckRecord | null,
): string[] {
  if (type === 'paused') return reason === null ? [] : [PAUSES[reason]];
  if (type === 'failed') return check?.error ? [check.error.title, check.error.detail] : [];
  if (type !== 'changed' || !check?.change) return [];
  const { lines, ratio } = check.change;
  const words = lines.flatMap(({ before, after }) => [
    ...(before === null ? [] : [`− ${before}`]),
    ...(after === null ? [] : [`+ ${after}`]),
  ]);
  return ratio === null ? words : [...words, `${percentOf(ratio)} changed.`];
}

function percentOf(ratio: number): string {
  return `${new Intl.NumberFormat('en', { maximumSignificantDigits: 2 }).format(ratio * 100)} %`;
}

function picturesOf(pictures: ChangePictures, check: CheckRecord | null): Notice['pictures'] {
  const full = check?.files;
  if (!full) return [];
  return (['marked', 'before', 'after'] as const).map((kind) => ({
    name: PICTURE_NAMES[kind],
    smallUrl: pictures[kind],
    url: kind === 'marked' ? full.diff : full[kind],
  }));
}
