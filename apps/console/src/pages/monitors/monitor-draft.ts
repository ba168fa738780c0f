import type { MonitorRecord, MonitorRequest, MonitorUpdate } from '@capture-service/client';
import { REDACTED } from '../../capture-record/again-path.js';
import { withScheme } from '../../ui/web-address.js';

export type ReceiverKind = 'slack' | 'discord' | 'teams' | 'email';

/** A receiver of events, as a person types it. */
export interface ReceiverDraft {
  readonly type: ReceiverKind;
  readonly address: string;
}

/** What a person has typed in the form of a monitor. */
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
  /** Whether they take the place of those that the monitor has, whose addresses are not shown. */
  readonly replacesReceivers: boolean;
}

export const UNITS = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 } as const;
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
    url: typeof url === 'string' ? url : '',
    name: '',
    kind: 'period',
    count: 1,
    unit: 'hours',
    options: options === null ? DEFAULTS : Object.fromEntries(taken),
    cron: '0 9 * * 1-5',
    timezone,
    leastPercent: 0,
    confirm: 2,
    ignored: '',
    webhookUrl: '',
    receivers: [],
    replacesReceivers: false,
  };
}

/** The form with what a monitor has. One of several pages has no page in the form. */
export function draftOfMonitor(monitor: MonitorRecord, timezone: string): MonitorDraft {
  const { name, capture, schedule, alert, webhook_url: webhookUrl } = monitor;
  return {
    ...draftOf(capture ?? {}, timezone),
    ...('cron' in schedule ? { kind: 'cron', ...schedule } : periodOf(schedule.every_s)),
    // A part of 0.07 is 7 percent, and not 7.000000000000001.
    name,
    leastPercent: Number((alert.min_ratio * 100).toFixed(4)),
    confirm: alert.confirm,
    ignored: alert.ignore_selectors.join('\n'),
    webhookUrl: webhookUrl ?? '',
  };
}

/** In the largest unit of which it is a multiple. */
function periodOf(seconds: number): Pick<MonitorDraft, 'kind' | 'count' | 'unit'> {
  const units = (Object.keys(UNITS) as Unit[]).toReversed();
  const unit = units.find((each) => seconds % UNITS[each] === 0) ?? 'seconds';
  return { kind: 'period', count: seconds / UNITS[unit], unit };
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
  return url.trim() !== '' && haveAddresses(receivers);
}

function haveAddresses(receivers: readonly ReceiverDraft[]): boolean {
  return receivers.every(({ address }) => address.trim() !== '');
}

/** The request that the form makes. */
export function requestOf(draft: MonitorDraft): MonitorRequest {
  const { name, webhookUrl, receivers } = draft;
  return {
    capture: captureOf(draft),
    schedule: scheduleOf(draft),
    alert: alertOf(draft),
    ...(name.trim() !== '' && { name: name.trim() }),
    ...(webhookUrl.trim() !== '' && { webhook_url: webhookUrl.trim() }),
    ...(receivers.length > 0 && { notify: receivers.map(receiverOf) }),
  };
}

function captureOf({ options, url }: MonitorDraft): NonNullable<MonitorRequest['capture']> {
  return { ...options, url: withScheme(url.trim()) };
}

function alertOf({ leastPercent, confirm, ignored }: MonitorDraft): NonNullable<MonitorRequest['alert']> {
  const lines = ignored.split('\n').flatMap((line) => line.trim() || []);
  return { min_ratio: leastPercent / 100, confirm, ignore_selectors: lines };
}

function receiverOf({ type, address }: ReceiverDraft): NonNullable<MonitorRequest['notify']>[number] {
  return type === 'email' ? { type, to: address.trim() } : { type, url: address.trim() };
}

/** What differs between the monitor and what is typed: what another person changes meanwhile stays. */
export function changesOf(before: MonitorDraft, draft: MonitorDraft): MonitorUpdate {
  const { url, name, webhookUrl, receivers, replacesReceivers } = draft;
  const [alert, schedule] = [differing(alertOf(before), alertOf(draft)), scheduleOf(draft)];
  return {
    ...(url.trim() !== before.url && { capture: captureOf(draft) }),
    ...(differs(schedule, scheduleOf(before)) && { schedule }),
    ...(Object.keys(alert).length > 0 && { alert }),
    ...(name.trim() !== before.name && name.trim() !== '' && { name: name.trim() }),
    ...(webhookUrl.trim() !== before.webhookUrl && { webhook_url: webhookUrl.trim() || null }),
    ...((replacesReceivers || receivers.length > 0) && { notify: receivers.map(receiverOf) }),
  };
}

/** The fields of the second object that the first one has not. */
function differing<Fields extends object>(before: Fields, now: Fields): Partial<Fields> {
  const old = new Map(Object.entries(before));
  const changed = Object.entries(now).filter(([name, value]) => differs(value, old.get(name)));
  return Object.fromEntries(changed) as Partial<Fields>;
}

function differs(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) !== JSON.stringify(b);
}

/** Whether the changes can be sent. A monitor that has a page cannot be without one. */
export function isChangeComplete(before: MonitorDraft, draft: MonitorDraft): boolean {
  const hasPage = before.url === '' || draft.url.trim() !== '';
  return hasPage && haveAddresses(draft.receivers) && Object.keys(changesOf(before, draft)).length > 0;
}
