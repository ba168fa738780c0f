import { addressFault, CaptureOptions } from '@app/capture';
import { MAX_PAGES, MAX_URL_LENGTH, SAME, SOURCES, type Same, type Source } from '@app/crawls';
import { Choice, compose, Flag, Part, Text, TextList, Whole } from '@app/kernel';
import { WebhookField } from '../webhooks/webhook-target.service.js';

const PATTERNS = { maxItems: 100, maxLength: MAX_URL_LENGTH };

class CrawlFields {
  @Text('Where the crawl begins.', {
    max: MAX_URL_LENGTH,
    check: (text: string) => addressFault(text),
    example: 'https://docs.example.com/',
  })
  url?: string;

  @Choice(
    SOURCES,
    'Where addresses come from: the sitemaps of the site, the links of the pages that are captured, or both.',
  )
  source: Source = 'both';

  @Whole('Pages that are captured at most.', { min: 1, max: MAX_PAGES })
  limit = 500;

  @Whole('Links from the start at most; 0 captures the start alone. Pages of a sitemap have depth 1.', {
    min: 0,
    max: 100,
  })
  max_depth = 10;

  @Whole(
    'Pages at most whose addresses differ in digits, long ids or parameters alone, if links lead to them: a calendar has no end.',
    { min: 1, max: MAX_PAGES },
  )
  limit_per_pattern = 200;

  @TextList(
    'Only addresses that match one of these patterns, in which `*` stands for any characters. The start is captured anyway.',
    { ...PATTERNS, example: ['*/guide/*'] },
  )
  include: string[] = [];

  @TextList('No addresses that match one of these patterns.', { ...PATTERNS, example: ['*?sort=*'] })
  exclude: string[] = [];

  @Choice(
    SAME,
    'What addresses have in common with the start: its host, its registrable domain, or its host and folder.',
  )
  same: Same = 'host';

  @Choice(
    ['obey', 'ignore'],
    '`obey` keeps to robots.txt and `nofollow`. `ignore` is accepted only where the operator allows it.',
  )
  robots: 'obey' | 'ignore' = 'obey';

  @Flag('Finds the addresses that robots.txt and the sitemaps give, and captures nothing.')
  dry_run = false;

  @Part(CaptureOptions, 'Options of every capture.')
  defaults?: Readonly<Record<string, unknown>>;
}

/** Body of `POST /v1/crawls`. */
export const CrawlBody = compose('CrawlBody', [CrawlFields, WebhookField]);
export type CrawlBody = InstanceType<typeof CrawlBody>;
