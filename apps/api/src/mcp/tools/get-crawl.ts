import { encodePageCursor } from '@app/crawls';
import type { CrawlPageFilters } from '@capture-service/client';
import { UNTRUSTED } from '../capture-result.js';
import { ID_PATTERN } from '../resources.js';
import type { Tool, ToolCall } from '../tool.js';
import { crawlItem, crawlPageItem, nextOf } from './crawl-data.js';
import { dataResult } from './data-result.js';

const DEFAULT_PAGES = 20;
/** At most about 10,000 tokens. */
const MAX_PAGES = 50;

interface Arguments {
  readonly id: string;
  readonly outcome?: NonNullable<CrawlPageFilters['outcome']>;
  readonly first_page?: number;
  readonly limit?: number;
}

export const GET_CRAWL: Tool = {
  name: 'get_crawl',
  title: 'Get a crawl',
  description:
    'Returns how far a crawl is, and some of its pages. outcome "broken" lists broken links with the pages that have them.',
  isOpenWorld: false,
  inputSchema: () => ({
    type: 'object',
    properties: {
      id: { type: 'string', pattern: ID_PATTERN },
      outcome: { type: 'string', enum: ['ok', 'broken', 'canceled', 'pending'] },
      first_page: { type: 'integer', minimum: 1, default: 1, description: 'Number of the first page.' },
      limit: { type: 'integer', minimum: 1, maximum: MAX_PAGES, default: DEFAULT_PAGES },
    },
    required: ['id'],
    additionalProperties: false,
  }),
  run: async (args, call) => {
    const crawl = await call.client.crawls.get(String(args.id), { signal: call.signal });
    const { items, next_cursor: cursor } = await pagesOf(args as unknown as Arguments, call);
    const last = items.at(-1)?.number;
    return dataResult({
      note: UNTRUSTED,
      next: nextOf(crawl),
      ...crawlItem(crawl),
      pages: items.map(crawlPageItem),
      next_page: cursor === null || last === undefined ? null : last + 1,
    });
  },
};

function pagesOf({ id, outcome, first_page: first, limit = DEFAULT_PAGES }: Arguments, call: ToolCall) {
  const { crawls } = call.client;
  const query = { limit, ...cursorBefore(first) };
  const settings = { signal: call.signal };
  return outcome === 'broken'
    ? crawls.brokenPage(id, query, settings)
    : crawls.pagesPage(id, { ...query, ...(outcome && { outcome }) }, settings);
}

/** The position from which a list begins with the page of this number. */
export function cursorBefore(first = 1): { readonly cursor?: string } {
  return first > 1 ? { cursor: encodePageCursor(first - 1) } : {};
}
