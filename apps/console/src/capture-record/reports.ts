import type { CaptureRecord } from '@capture-service/client';
import { count, duration } from '../ui/format.js';

/** One report of a record in words. */
export interface Report {
  readonly title: string;
  readonly summary: string;
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  readonly items: readonly string[];
}

const VERDICTS: Readonly<Record<string, string>> = {
  page: 'It looks like an ordinary page.',
  blank: 'The page is blank.',
  bot_wall: 'The site shows a bot check instead of the page.',
  login_wall: 'The site asks to log in instead of showing the page.',
  error_page: 'The site shows an error page.',
};

const CACHE: Readonly<Record<string, string>> = {
  hit: 'The files come from an earlier capture.',
  stale: 'The files come from an older capture, and a new one is being made.',
  coalesced: 'It shares the files of an identical capture that ran at the same time.',
  miss: 'The cache had no matching capture.',
  bypass: 'The cache was not used.',
};

type AwaitedKind = NonNullable<CaptureRecord['readiness']>['waited_for'][number];

const AWAITED: Readonly<Record<AwaitedKind, string>> = {
  load: 'the page to load',
  action: 'the effect of an action',
  requests: 'requests',
  fonts: 'fonts',
  images: 'images',
  content: 'content',
  placeholders: 'placeholders to be replaced',
  socket: 'the first message of a stream',
  gap: 'an empty area to fill',
  text: 'text to stop growing',
  arrivals: 'more parts of the page',
  changes: 'changes to stop',
  layout: 'the layout to stop moving',
};

const report = (title: string, summary: string, more: Partial<Report> = {}): Report => ({
  title,
  summary,
  facts: [],
  items: [],
  ...more,
});

/** The reports that the record has, the most important ones first. */
export function reportsOf(record: CaptureRecord): Report[] {
  const all = [
    verdictReport(record),
    missingReport(record),
    changeReport(record),
    readinessReport(record),
    consentReport(record),
    overlaysReport(record),
    requestsReport(record),
    stableReport(record),
    cacheReport(record),
  ];
  return all.filter((each) => each !== undefined);
}

function verdictReport({ verdict }: CaptureRecord): Report | undefined {
  if (!verdict) return undefined;
  return report('Verdict', VERDICTS[verdict.kind] ?? verdict.kind, { items: verdict.evidence });
}

const REASONS: Readonly<Record<string, string>> = {
  wait_timed_out: 'A wait timed out.',
  document_cut_off: 'The page was received only in part.',
  still_loading: 'The page was still loading.',
  end_not_reached: 'The page was not scrolled to its end.',
  sections_not_revealed: 'Parts of the page never appeared.',
};

function missingReport({ missing }: CaptureRecord): Report | undefined {
  if (!missing) return undefined;
  const { reasons, glyphs, frames, images, sections } = missing;
  const facts = [
    { label: 'Parts that never appeared', value: sections },
    { label: 'Images', value: images.length },
    { label: 'Embedded pages', value: frames.length },
  ]
    .filter(({ value }) => value > 0)
    .map(({ label, value }) => ({ label, value: count(value) }));
  const items = [
    ...glyphs.map(
      (each) => `${count(each.count)} letters shown as boxes, for want of a font: ${each.script}`,
    ),
    ...frames.map(({ url }) => `embedded page: ${url}`),
    ...images.map(({ url }) => `image: ${url}`),
  ];
  const summary = reasons.map((reason) => REASONS[reason] ?? reason).join(' ');
  return report('Missing', summary || 'The file lacks parts of the page.', { facts, items });
}

const FAILURES: Readonly<Record<string, string>> = {
  timed_out: 'It took too long.',
  file_missing: 'The earlier file has expired or was deleted.',
  not_comparable: 'A file cannot be read, or takes too much memory.',
};

function changeReport({ change }: CaptureRecord): Report | undefined {
  if (!change) return undefined;
  if (change.ratio === null)
    return report('Change', `It could not be compared with the capture ${change.compared_with}.`, {
      facts: [{ label: 'Reason', value: FAILURES[change.failure ?? ''] ?? 'not known' }],
    });
  const share = `${(change.ratio * 100).toFixed(change.ratio < 0.01 ? 3 : 1)} %`;
  const summary = change.changed
    ? `${share} differs from the capture ${change.compared_with}.`
    : `Nothing differs from the capture ${change.compared_with}.`;
  const facts = [
    { label: 'Parts', value: count(change.boxes.length) },
    { label: 'Size changed', value: yesNo(change.size_changed === true) },
    { label: 'Text changed', value: change.text_changed === null ? 'not known' : yesNo(change.text_changed) },
  ];
  return report('Change', summary, { facts });
}

function readinessReport({ readiness }: CaptureRecord): Report | undefined {
  if (!readiness) return undefined;
  const { by, waited_ms: waited, waited_for: awaited, pending, fonts, images } = readiness;
  const summary =
    by === 'quiet'
      ? `The page was ready ${duration(waited)} after it had loaded.`
      : `The page was still not ready when the time was up, ${duration(waited)} after it had loaded.`;
  const facts = [
    { label: 'Waited for', value: awaited.map((kind) => AWAITED[kind]).join(', ') || 'nothing' },
    { label: 'Fonts', value: fonts },
    {
      label: 'Images in view',
      value: `${count(images.total)}, of which ${count(images.pending)} still loading and ${count(images.broken)} broken`,
    },
  ];
  const items = pending.map(({ host, type }) => `still loading: ${type} from ${host}`);
  return report('Readiness', summary, { facts, items });
}

function consentReport({ consent }: CaptureRecord): Report | undefined {
  if (!consent) return undefined;
  const done =
    consent.action === 'none'
      ? 'No consent dialog was removed.'
      : `The consent dialog was ${consent.action}.`;
  const summary = consent.gone ? done : `${done} A dialog is still shown.`;
  return report('Consent', summary, {
    facts: consent.manager === null ? [] : [{ label: 'Consent manager', value: consent.manager }],
  });
}

function overlaysReport({ overlays }: CaptureRecord): Report | undefined {
  if (!overlays) return undefined;
  const items = overlays.map(({ action, kind, label }) => `${action}: ${label === '' ? kind : label}`);
  const summary = overlays.length === 0 ? 'Nothing covered the page.' : `${count(overlays.length)} removed.`;
  return report('Overlays', summary, { items });
}

function requestsReport({ blocked, failed_requests: failed }: CaptureRecord): Report | undefined {
  if (!blocked) return undefined;
  const facts = Object.entries(blocked)
    .filter(([, number]) => number > 0)
    .map(([kind, number]) => ({ label: BLOCKED[kind] ?? kind, value: count(number) }));
  const total = Object.values(blocked).reduce((sum, number) => sum + number, 0);
  const summary = `${count(total)} blocked, ${count(failed)} failed.`;
  return report('Requests', summary, { facts });
}

const BLOCKED: Readonly<Record<string, string>> = {
  ads: 'Advertisements',
  trackers: 'Trackers',
  chats: 'Chat widgets',
  annoyances: 'Annoyances',
  rules: 'Blocked by your options',
  forbidden: 'Forbidden addresses',
};

function stableReport({ stable }: CaptureRecord): Report | undefined {
  if (!stable) return undefined;
  const summary = stable.agreed
    ? `The last two of ${stable.frames} pictures are identical.`
    : `The last two of ${stable.frames} pictures differ in ${stable.unstable_boxes.length} parts.`;
  const items = stable.unstable_boxes.map(
    ({ x, y, width, height }) => `${width} × ${height} px at ${x}, ${y}`,
  );
  return report('Stability', summary, { items });
}

function cacheReport({ cache }: CaptureRecord): Report | undefined {
  if (!cache) return undefined;
  const facts = [{ label: 'Key', value: cache.key }];
  if (cache.age_s !== null)
    facts.unshift({ label: 'Age of the files', value: duration(cache.age_s * 1_000) });
  return report('Cache', CACHE[cache.status ?? ''] ?? 'The cache was not asked yet.', { facts });
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}
