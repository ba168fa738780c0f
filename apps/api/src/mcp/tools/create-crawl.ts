import { FORMAT_NAMES } from '@app/capture';
import type { NewCrawl } from '@capture-service/client';
import { UNTRUSTED } from '../capture-result.js';
import type { Tool } from '../tool.js';
import { crawlItem, nextOf } from './crawl-data.js';
import { dataResult } from './data-result.js';

/** What `capture_many` takes at once. */
const MAX_PAGES = 1_000;
const DEFAULT_PAGES = 100;

const PATTERNS = { type: 'array', items: { type: 'string' } } as const;

export const CREATE_CRAWL: Tool = {
  name: 'create_crawl',
  title: 'Crawl a site',
  description:
    'Captures the pages of a site, which it finds by sitemaps and links; robots.txt is obeyed. Each page costs a unit of the allowance. get_crawl shows how far it is, and read_crawl reads the pages.',
  isOpenWorld: true,
  needsPermission: true,
  inputSchema: () => ({
    type: 'object',
    properties: {
      url: { type: 'string', description: 'Where the crawl begins.' },
      limit: { type: 'integer', minimum: 1, maximum: MAX_PAGES, default: DEFAULT_PAGES },
      max_depth: { type: 'integer', description: 'Links from the start at most.' },
      source: { type: 'string', enum: ['sitemap', 'links', 'both'], default: 'both' },
      same: {
        type: 'string',
        enum: ['host', 'domain', 'prefix'],
        default: 'host',
        description: 'prefix: the folder of url only.',
      },
      include: { ...PATTERNS, description: 'Only such addresses: ["*/guide/*"].' },
      exclude: { ...PATTERNS, description: 'No such addresses: ["*?sort=*"].' },
      format: { type: 'string', enum: FORMAT_NAMES, default: 'markdown' },
      options: { type: 'object', description: 'Options of each capture, as the tool `capture` has them.' },
    },
    required: ['url'],
    additionalProperties: false,
  }),
  outputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  run: async ({ options, format = 'markdown', limit = DEFAULT_PAGES, ...rules }, { client, signal }) => {
    // The API validates the values.
    const request = { ...rules, limit, defaults: { format, ...(options as object | undefined) } };
    // Without the signal: if the call is canceled in between, the id is needed to cancel the crawl.
    const crawl = await client.crawls.create(request as unknown as NewCrawl);
    if (signal.aborted) await client.crawls.cancel(crawl.id);
    return dataResult({ note: UNTRUSTED, next: nextOf(crawl), ...crawlItem(crawl) });
  },
};
