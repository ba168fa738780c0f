import {
  CRAWL_STATES,
  FOUND_BY,
  PAGE_OUTCOMES,
  SAME,
  SKIP_REASONS,
  SOURCES,
  type BrokenPageRecord,
  type CrawlPageRecord,
  type CrawlRecord,
} from '@app/crawls';
import { boolean, every, integer, list, orNull, ref, refOrNull, string } from '@app/kernel';
import { requestSchemaOf } from '../openapi/request-schemas.js';
import { CrawlBody } from './crawl.fields.js';

const UUID = { ...string, format: 'uuid' };
const TIME = { ...string, format: 'date-time' };
const NULLABLE_TIME = { ...orNull('string'), format: 'date-time' };

const FIELDS = requestSchemaOf(CrawlBody) as { readonly properties: object };

const PAGE = {
  number: {
    ...integer,
    description:
      'The number of the page in the crawl. The row of the batch has the same, unless the site refused the page at first.',
  },
  url: string,
  title: orNull('string'),
  depth: { ...integer, description: 'Links from the start; 1 for pages of a sitemap.' },
  found_by: { ...string, enum: FOUND_BY },
  found_on: orNull('string', 'The first page that links to it.'),
  outcome: {
    ...orNull(
      'string',
      'Null until its capture has ended. `broken`: the capture failed, or the site answered 400 or above.',
    ),
    enum: [...PAGE_OUTCOMES, null],
  },
  http_status: orNull('integer'),
  error_code: orNull('string'),
  capture_id: { ...orNull('string', 'Null until the capture has ended.'), format: 'uuid' },
} satisfies Record<keyof CrawlPageRecord, object>;

/** Schemas by their names. */
export const CRAWL_SCHEMAS = {
  NewCrawl: {
    ...FIELDS,
    properties: {
      ...FIELDS.properties,
      defaults: { ...ref('CaptureOptions'), description: 'Options of every capture.' },
    },
    required: ['url'],
  },
  CrawlRecord: every({
    id: UUID,
    status: {
      ...string,
      enum: CRAWL_STATES,
      description:
        '`discovering` while it may find further pages, `capturing` while it waits for the captures of those that it has.',
    },
    url: string,
    batch_id: { ...orNull('string', 'The batch of its captures; null for a dry run.'), format: 'uuid' },
    source: { ...string, enum: SOURCES },
    limit: integer,
    max_depth: integer,
    limit_per_pattern: integer,
    include: list(string),
    exclude: list(string),
    same: { ...string, enum: SAME },
    robots: { ...string, enum: ['obey', 'ignore'] },
    dry_run: boolean,
    discovered: { ...integer, description: 'Pages that it captures; in a dry run, that it would.' },
    skipped: {
      ...every(Object.fromEntries(SKIP_REASONS.map((reason) => [reason, integer]))),
      description:
        'How many links and entries of sitemaps were left out, by reason. A link that several pages have counts for each of them.',
    },
    delay_s: {
      ...integer,
      description: 'Seconds between captures that robots.txt, or answers with status 429 or 503, ask for.',
    },
    paused_until: {
      ...NULLABLE_TIME,
      description:
        'No page is captured before, because the site asked for it (`Retry-After`); null if it never did.',
    },
    error: refOrNull('CaptureFailure'),
    created_at: TIME,
    finished_at: NULLABLE_TIME,
    pages_url: string,
  } satisfies Record<keyof CrawlRecord, object>),
  CrawlPage: every(PAGE),
  BrokenPage: every({
    ...PAGE,
    linked_from: { ...list(string), description: 'Up to 100 pages that link to it.' },
  } satisfies Record<keyof BrokenPageRecord, object>),
  CrawlList: every({ items: list(ref('CrawlRecord')), next_cursor: orNull('string') }),
  CrawlPageList: every({ items: list(ref('CrawlPage')), next_cursor: orNull('string') }),
  BrokenPageList: every({ items: list(ref('BrokenPage')), next_cursor: orNull('string') }),
};

/** Examples of responses, by the name of their schema. */
export const CRAWL_EXAMPLES = {
  CrawlRecord: {
    id: '019ac101-3b5c-7b1e-8f2a-5d6c7e8f9a0b',
    status: 'discovering',
    url: 'https://docs.example.com/',
    batch_id: '019ac101-3b5d-7c70-9d5e-6a4b1c2d3e4f',
    source: 'both',
    limit: 500,
    max_depth: 10,
    limit_per_pattern: 200,
    include: [],
    exclude: ['*?sort=*'],
    same: 'host',
    robots: 'obey',
    dry_run: false,
    discovered: 132,
    skipped: { robots: 4, filter: 310, duplicate: 2_918, depth: 0, limit: 0 },
    delay_s: 0,
    paused_until: null,
    error: null,
    created_at: '2026-11-27T08:30:04.120Z',
    finished_at: null,
    pages_url: '/v1/crawls/019ac101-3b5c-7b1e-8f2a-5d6c7e8f9a0b/pages',
  } satisfies CrawlRecord,
} as const;
