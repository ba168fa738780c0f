import { canonicalJson, fieldsOf, type AnyClass } from '@app/kernel';
import { aboutFormat, isPrinted } from '../formats/index.js';
import { kindsOf } from '../options/blocking.js';
import { CacheOptions } from '../options/cache.js';
import { ComparisonOptions } from '../options/comparison.js';
import { removesBanners } from '../options/consent.js';
import { DeliveryOptions } from './delivery.js';
import { userAgentOf } from '../options/emulation.js';
import { isScrolledThrough } from '../options/framing.js';
import { CaptureOptions } from './capture-options.js';
import { Output, OutputsOptions } from './outputs.js';
import { resolveViewport, screenOf, ViewportOptions } from '../options/viewport.js';
import { outputsOf, visitWindowOf } from './parse-options.js';
import { BLOCKING_KINDS } from '../blocking/request-filter.js';

/** Changes when the same text would mean another capture, so that keys of earlier versions match nothing. */
const VERSION = 'capture-key/1';

const namesOf = (type: AnyClass): string[] => fieldsOf(type).map(({ name }) => name);

/** What happens to the files, not what they show. */
const LEFT_OUT = [DeliveryOptions, CacheOptions, ComparisonOptions, OutputsOptions].flatMap(namesOf);

/** Options whose meaning depends on others; `resolved` says what they come to. */
const RESOLVED = [
  ...namesOf(ViewportOptions),
  ...BLOCKING_KINDS.map((kind) => `block_${kind}`),
  ...['clean', 'block_cookie_banners', 'cookie_consent', 'user_agent', 'scroll', 'headers', 'base_url'],
];

/** The other options by name, in order, with their defaults. */
const STATED = new Map(
  fieldsOf(CaptureOptions)
    .filter(({ name }) => !LEFT_OUT.includes(name) && !RESOLVED.includes(name))
    .map(({ name, fallback }) => [name, (new CaptureOptions() as Values)[name] ?? fallback] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1)),
);

/** The options that an output may have of its own. */
const OF_OUTPUTS = new Set(namesOf(Output));

type Values = Record<string, unknown>;

/**
 * A key of 32 bytes that two captures share when they have the same target and the same options, however those are written:
 * in any order, with or without defaults, with a device or with its values. All options count except those of delivery,
 * comparison and the cache.
 *
 * An option that has its default is left out, so that keys stay the same when a later version adds options.
 *
 * @param digest a hash with a secret key, because the options may hold passwords
 */
export function captureKeyOf(options: CaptureOptions, digest: (text: string) => Buffer): Buffer {
  return digest(`${VERSION}\n${canonicalJson(sameCapture(options))}`);
}

/** What two captures that show the same have in common. */
export function sameCapture(options: CaptureOptions): readonly unknown[] {
  if (options.outputs.length === 0) return [decisiveOptions(options), []];
  const outputs = outputsOf(options);
  const visit = Object.assign(new CaptureOptions(), options, visitWindowOf(options, outputs));
  const decisive = outputs.map(({ name, options: own }) => [name, decisiveOptions(own, OF_OUTPUTS)]);
  return [decisiveOptions(visit), decisive];
}

/** The options that are not at their defaults, in the order of their names. */
function decisiveOptions(options: CaptureOptions, only?: ReadonlySet<string>): [string, unknown][] {
  const entries: [string, unknown][] = [];
  for (const [name, byDefault] of STATED) {
    const value = (options as Values)[name];
    if (value === undefined || value === byDefault || isEmpty(value)) continue;
    if (value === defaultByFormat(name, options)) continue;
    if (only === undefined || only.has(name)) entries.push([name, value]);
  }
  return [...entries, ...resolved(options, only)];
}

/** What options come to that depend on others. */
function resolved(options: CaptureOptions, only?: ReadonlySet<string>): [string, unknown][] {
  const window = resolveViewport(options);
  const screen = screenOf(options, window);
  const { width, height, deviceScaleFactor, isMobile, hasTouch, isLandscape } = window;
  const entries: [string, unknown][] = [
    ['scroll', isScrolledThrough(options)],
    [
      'viewport',
      [width, height, deviceScaleFactor, isMobile, hasTouch, isLandscape, screen.width, screen.height],
    ],
    ['user_agent', userAgentOf(options)],
  ];
  if (only !== undefined) return entries;
  const headers = Object.entries(options.headers).map(([name, value]) => [name.toLowerCase(), value]);
  return [
    ...entries,
    ['blocked', kindsOf(options)],
    ['consent', removesBanners(options) ? options.cookie_consent : null],
    ['headers', headers.sort(([a = ''], [b = '']) => (a < b ? -1 : 1))],
    ['base_url', options.base_url === undefined ? null : new URL(options.base_url).href],
  ];
}

/** The default of an option that has another one for each format. */
function defaultByFormat(name: string, { format, outputs }: CaptureOptions): unknown {
  if (name === 'quality') return aboutFormat(format).defaultQuality;
  // All outputs share it, whatever their formats are.
  if (name === 'media_type' && outputs.length === 0) return isPrinted(format) ? 'print' : 'screen';
  return undefined;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
