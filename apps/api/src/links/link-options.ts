import {
  EXPOSURE_RULES,
  loadsByCss,
  OPTIONS,
  parserWith,
  type CaptureOptions,
  type DefaultOptions,
  type Exposure,
  type OptionSpec,
} from '@app/capture';
import {
  AppError,
  Choice,
  fieldsOf,
  invalidRequest,
  Text,
  Whole,
  type Fault,
  type FieldSpec,
} from '@app/kernel';
import type { ReadQuery } from './link-query.js';

/** Half of what Node takes as all headers of a request. */
export const MAX_QUERY_BYTES = 8_192;

/** A page that shows a link requests it with each visit, so that its captures are cached. */
const MIN_CACHE_TTL_S = 60;
const DEFAULT_CACHE_TTL_S = 86_400;

/** The longest life of a link: ten years, of which three may be leap years. */
export const MAX_LIFE_S = 3_653 * 86_400;
/** The clocks of the processes that make and verify a link may differ by this. */
const CLOCK_SLACK_S = 300;
/** The end of the year 9999. */
const MAX_TIME_S = 253_402_300_799;

/** What a link has besides the options of its capture. */
export class LinkFields {
  @Text('Id of the key whose secret signs the link.', { min: 16, max: 16, example: 'Jc3n8mQ2xV7bTz5K' })
  key?: string;

  @Whole('Time at which the link expires, in seconds since 1970; at most ten years ahead.', {
    min: 1,
    max: MAX_TIME_S,
  })
  expires?: number;

  @Choice(
    ['problem', 'image'],
    'What an error is answered with: a problem document, or a small SVG picture that an `<img>` shows. The status is the same.',
  )
  on_error: 'problem' | 'image' = 'problem';
}

export const MUST_EXPIRE = 'is required: the links of this key must expire';

const NOT_IN_LINKS = 'must not be in a link, ';
const ONE_PAGE = `${NOT_IN_LINKS}which captures a url`;

/** Why a link refuses the options of an exposure. */
const REASONS: Readonly<Record<RefusedExposure, string>> = {
  secret: `${NOT_IN_LINKS}which everyone can read who sees it`,
  script: `${NOT_IN_LINKS}whose readers could learn what runs in your name: use POST /v1/capture for scripts and clicks`,
  answer: `${NOT_IN_LINKS}which shows one file: set format and its options`,
  own: `${NOT_IN_LINKS}which everyone can use: it is about your captures, not about the file of the link`,
};

type RefusedExposure = {
  [E in Exposure]: (typeof EXPOSURE_RULES)[E]['inLinks'] extends 'no' ? E : never;
}[Exposure];

/** What to do instead, where the reason does not say it. Whether an option is refused depends on its exposure only. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ['html', ONE_PAGE],
  ['base_url', ONE_PAGE],
  ['expires_in_s', `${NOT_IN_LINKS}whose file is kept for cache_ttl_s; expires says when the link ends`],
  [
    'force',
    `${NOT_IN_LINKS}because each visitor would cause a capture: cache_ttl_s says how old a file may be`,
  ],
]);

/** Fields of other requests that a link is often expected to have. */
const OF_OTHER_REQUESTS: ReadonlyMap<string, string> = new Map([
  ['webhook_url', `${NOT_IN_LINKS}which sends no webhooks`],
]);

const LOADS = `${NOT_IN_LINKS}if it loads something (url(), image-set(), @import): use data: URLs, or POST /v1/capture`;

/** The options that a link takes. */
export const LINK_OPTIONS: readonly FieldSpec[] = [...OPTIONS.values()].filter((spec) => !isRefused(spec));

/** All fields of a link, by name. */
export const LINK_FIELDS: ReadonlyMap<string, FieldSpec> = new Map(
  [...OPTIONS.values(), ...fieldsOf(LinkFields)].map((spec) => [spec.name, spec]),
);

const parse = parserWith(LinkFields);

/** A link without faults. */
export interface ParsedLink {
  readonly options: CaptureOptions;
  readonly fields: LinkFields;
}

/** What a link must satisfy besides the rules of its options. */
export interface LinkRules {
  readonly operator: DefaultOptions;
  /** Whether the link must state when it expires. */
  readonly mustExpire: boolean;
  readonly nowS: number;
}

/**
 * Parses the fields of a link, after its signature has been verified or before it is made.
 *
 * @throws AppError `invalid_request` with every fault
 */
export function parseLink({ values, faults: unread }: ReadQuery, rules: LinkRules): ParsedLink {
  const names = Object.keys(values);
  const known = Object.fromEntries(Object.entries(values).filter(([name]) => !isForeign(name)));
  const parsed = attempt(() => parse({ cache_ttl_s: DEFAULT_CACHE_TTL_S, ...known }, rules.operator));
  const faults = [
    ...unread,
    ...names.flatMap((name) => refusalOf(name, values[name])),
    ...(parsed instanceof AppError ? (parsed.facts.errors ?? []) : []),
    ...cacheFaults(values),
    ...expiryFaults(values, rules),
  ];
  const own = withoutEchoes(faults, unread);
  if (own.length > 0) throw invalidRequest(own);
  if (parsed instanceof AppError) throw parsed;
  return { options: parsed.options, fields: parsed.extra };
}

function attempt<T>(read: () => T): T | AppError {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

function isRefused({ exposure }: OptionSpec): boolean {
  return EXPOSURE_RULES[exposure].inLinks === 'no';
}

/** Whether a field has no place in a link, whatever its value is. */
function isForeign(name: string): boolean {
  const option = OPTIONS.get(name);
  return option ? isRefused(option) : OF_OTHER_REQUESTS.has(name);
}

function refusalOf(name: string, value: unknown): Fault[] {
  const option = OPTIONS.get(name);
  const detail = option ? refusalReason(option, value) : OF_OTHER_REQUESTS.get(name);
  return detail === undefined ? [] : [{ pointer: `/${name}`, code: 'not_for_route', detail }];
}

function refusalReason({ name, exposure }: OptionSpec, value: unknown): string | undefined {
  switch (exposure) {
    case 'public':
      return undefined;
    case 'style':
      return typeof value === 'string' && loadsByCss(value) ? LOADS : undefined;
    case 'secret':
    case 'script':
    case 'answer':
    case 'own':
      return ADVICE.get(name) ?? REASONS[exposure];
    default:
      return exposure satisfies never;
  }
}

function cacheFaults({ cache_ttl_s: ttl }: ReadQuery['values']): Fault[] {
  if (typeof ttl !== 'number' || ttl >= MIN_CACHE_TTL_S) return [];
  const detail = `must be at least ${MIN_CACHE_TTL_S} in a link`;
  return [{ pointer: '/cache_ttl_s', code: 'out_of_range', detail }];
}

function expiryFaults({ expires }: ReadQuery['values'], { mustExpire, nowS }: LinkRules): Fault[] {
  const fault = (code: string, detail: string): Fault[] => [{ pointer: '/expires', code, detail }];
  if (expires === undefined) {
    return mustExpire ? fault('required', MUST_EXPIRE) : [];
  }
  const isTooLate = typeof expires === 'number' && expires > nowS + MAX_LIFE_S + CLOCK_SLACK_S;
  return isTooLate ? fault('out_of_range', 'must be at most ten years ahead') : [];
}

/** A value that could not be read, or that is refused, is not also reported as missing; each field has one fault. */
function withoutEchoes(faults: readonly Fault[], unread: readonly Fault[]): Fault[] {
  const before = new Set<string>();
  return faults.filter((fault) => {
    const isFirst = !before.has(fault.pointer);
    before.add(fault.pointer);
    return isFirst || unread.includes(fault);
  });
}
