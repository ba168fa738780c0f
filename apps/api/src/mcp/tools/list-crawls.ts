import { UNTRUSTED } from '../capture-result.js';
import type { Tool } from '../tool.js';
import { crawlItem } from './crawl-data.js';
import { dataResult } from './data-result.js';

/** Earlier crawls are of less use, and a model could not choose among more. */
const MAX_CRAWLS = 20;

export const LIST_CRAWLS: Tool = {
  name: 'list_crawls',
  title: 'List crawls',
  description: 'Lists the latest crawls of sites, newest first.',
  isOpenWorld: false,
  inputSchema: () => ({ type: 'object', properties: {}, additionalProperties: false }),
  run: async (_, { client, signal }) => {
    const { items } = await client.crawls.page({ limit: MAX_CRAWLS }, { signal });
    return dataResult({ note: UNTRUSTED, crawls: items.map(crawlItem) });
  },
};
