import { CaptureError, type CrawlRecord, type NewCrawl } from '@capture-service/client';
import { withScheme } from '../../ui/web-address.js';
import { faultsByOption, type Faults } from '../capture/form/faults.js';

/** What a person has typed in the form of a new crawl. */
export interface CrawlDraft {
  readonly url: string;
  readonly source: CrawlRecord['source'];
  readonly same: CrawlRecord['same'];
  readonly robots: CrawlRecord['robots'];
  /** Empty: as the service sets it. */
  readonly limit: number | '';
  readonly max_depth: number | '';
  readonly limit_per_pattern: number | '';
  /** One pattern a line. */
  readonly include: string;
  readonly exclude: string;
  /** Options of every capture. */
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly webhook_url: string;
}

export const EMPTY_DRAFT: CrawlDraft = {
  url: '',
  source: 'both',
  same: 'host',
  robots: 'obey',
  limit: 500,
  max_depth: 10,
  limit_per_pattern: 200,
  include: '',
  exclude: '',
  defaults: {},
  webhook_url: '',
};

/** Options that each page has for itself, or that the crawl sets. */
export const OWN_OPTIONS = [
  ...['url', 'html', 'base_url', 'reference', 'metadata'],
  ...['compare_with', 'compare_confirms'],
];

/** The form with the rules of an earlier crawl, which does not say the options of its captures. */
export function draftOf(crawl: CrawlRecord): CrawlDraft {
  const { url, source, same, robots, limit, max_depth, limit_per_pattern, include, exclude } = crawl;
  return {
    ...EMPTY_DRAFT,
    url,
    source,
    same,
    robots,
    limit,
    max_depth,
    limit_per_pattern,
    include: include.join('\n'),
    exclude: exclude.join('\n'),
  };
}

/** The request that the form makes. */
export function requestOf(draft: CrawlDraft): NewCrawl {
  const { source, same, robots, limit, max_depth, limit_per_pattern, defaults, webhook_url: webhook } = draft;
  const [include, exclude] = [linesOf(draft.include), linesOf(draft.exclude)];
  return {
    url: withScheme(draft.url.trim()),
    source,
    same,
    robots,
    ...(limit !== '' && { limit }),
    ...(max_depth !== '' && { max_depth }),
    ...(limit_per_pattern !== '' && { limit_per_pattern }),
    ...(include.length > 0 && { include }),
    ...(exclude.length > 0 && { exclude }),
    ...(Object.keys(defaults).length > 0 && { defaults }),
    ...(webhook.trim() !== '' && { webhook_url: webhook.trim() }),
  };
}

function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => line.trim() || []);
}

/** What the service refused in a request, by the field of the form. */
export interface CrawlFaults {
  readonly fields: ReadonlyMap<string, string>;
  /** By the name of the option. */
  readonly defaults: Faults;
}

/** The faults that an answer names, as far as their fields still say what was refused. */
export function faultsOf(error: unknown, refused: NewCrawl | undefined, draft: CrawlDraft): CrawlFaults {
  const errors = error instanceof CaptureError ? error.errors : [];
  const now = requestOf(draft) as Readonly<Record<string, unknown>>;
  const before = (refused ?? {}) as Readonly<Record<string, unknown>>;
  const fields = new Map<string, string>();
  for (const { pointer, detail } of errors) {
    const [name = '', entry] = pointer.slice(1).split('/');
    if (JSON.stringify(now[name]) !== JSON.stringify(before[name])) continue;
    const line = entry !== undefined && /^\d+$/.test(entry) ? `line ${Number(entry) + 1} ${detail}` : detail;
    fields.set(name, fields.has(name) ? `${fields.get(name)}; ${line}` : line);
  }
  const ofOptions = errors
    .filter(({ pointer }) => pointer.startsWith('/defaults/') && fields.has('defaults'))
    .map((fault) => ({ ...fault, pointer: fault.pointer.slice('/defaults'.length) }));
  return { fields, defaults: faultsByOption(ofOptions) };
}
