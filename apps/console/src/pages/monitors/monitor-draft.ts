import type { MonitorRequest } from '@capture-service/client';
import { REDACTED } from '../../capture-record/again-path.js';
import { withScheme } from '../../ui/web-address.js';

export type ReceiverKind = 'slack' | 'discord' | 'teams' | 'email';

/** A receiver of events, as a person types it. */
export interface ReceiverDraft {
  readonly type: ReceiverKind;
  readonly address: string;
}

/** What a person has typed in the form of a new monitor. */
export interface MonitorDraft {
  readonly url: string;
  /** The options of the capture that the form was opened with, without its page. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly name: string;
  readonly kind: 'period' | 'cron';
  readonly count: number;
  readonly unit: Unit;
  readonly cron: string;
  readonly timezone: string;
  /** Percent of the page that must change. */
  readonly leastPercent: number;
  readonly confirm: number;
  /** One a line. */
  readonly ignored: string;
  readonly webhookUrl: string;
  readonly receivers: readonly ReceiverDraft[];
}

export const UNITS = { minutes: 60, hours: 3_600, days: 86_400 } as const;
export type Unit = keyof typeof UNITS;

/** Options that a monitor sets itself, or that would show an earlier page. */
const OWN = [
  ...['compare_with', 'compare_threshold', 'compare_ignore_selectors', 'compare_confirms'],
  ...['cache_ttl_s', 'cache_key', 'stale_ttl_s', 'force', 'expires_in_s'],
];

/** Without options that name one, pages are captured whole, once nothing moves in them. */
const DEFAULTS = { full_page: true, stable: true } as const;

/** The form for a page that is typed, or for that of a capture. @param options of the capture */
export function draftOf(options: Readonly<Record<string, unknown>> | null, timezone: string): MonitorDraft {
  const { url, ...others } = options ?? {};
  const taken = Object.entries(others).filter(([name, value]) => !OWN.includes(name) && value !== REDACTED);
  return {
    ...{ url: typeof url === 'string' ? url : '', name: '', kind: 'period', count: 1, unit: 'hours' },
    options: options === null ? DEFAULTS : Object.fromEntries(taken),
    ...{ cron: '0 9 * * 1-5', timezone, leastPercent: 0, confirm: 2, ignored: '' },
    ...{ webhookUrl: '', receivers: [] },
  };
}

/** The options of a capture in the address of the page; null when there are none that can be read. */
export function readOptions(text: string | null): Readonly<Record<string, unknown>> | null {
  if (text === null) return null;
  try {
    const options: unknown = JSON.parse(text);
    const isObject = typeof options === 'object' && options !== null && !Array.isArray(options);
    return isObject ? (options as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** The path of the form for a monitor of the page of this capture. */
export function watchPath(options: Readonly<Record<string, unknown>>): string {
  return `/monitors/new?options=${encodeURIComponent(JSON.stringify(options))}`;
}

export function scheduleOf({ kind, count, unit, cron, timezone }: MonitorDraft): MonitorRequest['schedule'] {
  if (kind === 'period') return { every_s: count * UNITS[unit] };
  return { cron: cron.trim(), ...(timezone.trim() !== '' && { timezone: timezone.trim() }) };
}

/** Whether so much is filled in that the service can say the rest. */
export function isComplete({ url, receivers }: MonitorDraft): boolean {
  return url.trim() !== '' && receivers.every(({ address }) => address.trim() !== '');
}

/** The request that the form makes. */
export function requestOf(draft: MonitorDraft): MonitorRequest {
  const { name, webhookUrl, receivers, leastPercent, confirm } = draft;
  const ignored = draft.ignored.split('\n').flatMap((line) => line.trim() || []);
  return {
    capture: { ...draft.options, url: withScheme(draft.url.trim()) },
    schedule: scheduleOf(draft),
    alert: { min_ratio: leastPercent / 100, confirm, ignore_selectors: ignored },
    ...(name.trim() !== '' && { name: name.trim() }),
    ...(webhookUrl.trim() !== '' && { webhook_url: webhookUrl.trim() }),
    ...(receivers.length > 0 && { notify: receivers.map(receiverOf) }),
  };
}

function receiverOf({ type, address }: ReceiverDraft): NonNullable<MonitorRequest['notify']>[number] {
  return type === 'email' ? { type, to: address.trim() } : { type, url: address.trim() };
}
