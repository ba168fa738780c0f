import type { HTTPRequest } from 'puppeteer';
import { Flag, TextList } from '@app/kernel';
import { defineFamily, type RequestVerdict, type Visit } from '../pipeline/family.js';
import { matchesAny, readGlob } from './glob.js';

const RESOURCE_TYPES = [
  'image',
  'media',
  'font',
  'stylesheet',
  'script',
  'xhr',
  'fetch',
  'eventsource',
  'texttrack',
  'manifest',
  'prefetch',
  'ping',
  'other',
] as const;

/** Without a default of their own, the flags follow `clean`. */
export class BlockingOptions {
  @Flag(
    'Removes the noise of a page: turns on `block_ads`, `block_trackers`, `block_chats`, `block_annoyances` and `block_cookie_banners`. Each can still be turned off by itself.',
  )
  clean = false;

  @Flag('Blocks advertisements. Defaults to `clean`.', { fallback: false })
  block_ads?: boolean;

  @Flag('Blocks requests that track visitors. Defaults to `clean`.', { fallback: false })
  block_trackers?: boolean;

  @Flag('Blocks chat widgets. Defaults to `clean`.', { fallback: false })
  block_chats?: boolean;

  @Flag('Blocks newsletter dialogs, banners for apps and other annoyances. Defaults to `clean`.', {
    fallback: false,
  })
  block_annoyances?: boolean;

  @TextList('Resource types whose requests are blocked.', {
    maxItems: RESOURCE_TYPES.length,
    maxLength: 20,
    choices: RESOURCE_TYPES,
    example: ['image', 'font'],
  })
  block_resource_types: string[] = [];

  @TextList(
    'Patterns of URLs whose requests are blocked. `*` matches any text, every other character matches itself. Only the first 4,096 characters of a URL are matched. The target itself is never blocked.',
    { maxItems: 100, maxLength: 2_048, example: ['*://*.doubleclick.net/*'] },
  )
  block_urls: string[] = [];
}

/** `clean` speaks for all of them, whether it is true or false. */
const decides = {
  clean: ['block_ads', 'block_trackers', 'block_chats', 'block_annoyances', 'block_cookie_banners'],
};

function judge(_visit: Visit, options: BlockingOptions) {
  const types = new Set<string>(options.block_resource_types);
  const globs = options.block_urls.map(readGlob);
  if (types.size === 0 && globs.length === 0) return undefined;
  return (request: HTTPRequest): RequestVerdict => {
    const isBlocked = types.has(request.resourceType()) || matchesAny(globs, request.url());
    return isBlocked ? 'abort' : 'pass';
  };
}

export const blocking = defineFamily(
  { name: 'blocking', doc: 'Requests that the page may not make.' },
  BlockingOptions,
  { decides, judge },
);
