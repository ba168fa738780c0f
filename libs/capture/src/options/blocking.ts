import { defineFamily, type Visit } from '../pipeline/family.js';
import { Flag, TextList } from '../pipeline/option-fields.js';
import { FilterStyles } from '../blocking/filter-styles.js';
import { PageActivity } from '../pipeline/page-activity.js';
import { RequestBlocker } from '../blocking/request-blocker.js';
import { BLOCKING_KINDS, RequestFilter, type BlockingKind } from '../blocking/request-filter.js';
import type { EmulationOptions } from './emulation.js';
import { matchesAny, readGlob } from '../blocking/glob.js';
import type { PageChangesOptions } from './page-changes.js';
import { NOWHERE, type TargetOptions } from './target.js';

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
    { exposure: 'public' },
  )
  clean = false;

  @Flag('Blocks advertisements, and hides the places where they would stand. Defaults to `clean`.', {
    exposure: 'public',
    fallback: false,
  })
  block_ads?: boolean;

  @Flag('Blocks requests that track visitors. Defaults to `clean`.', { exposure: 'public', fallback: false })
  block_trackers?: boolean;

  @Flag('Blocks and hides chat widgets. Defaults to `clean`.', { exposure: 'public', fallback: false })
  block_chats?: boolean;

  @Flag(
    'Blocks and hides newsletter dialogs, banners for apps and other annoyances, and closes what has come over the page by itself. Defaults to `clean`.',
    { exposure: 'public', fallback: false },
  )
  block_annoyances?: boolean;

  @TextList('Resource types whose requests are blocked, also in frames and workers.', {
    exposure: 'public',
    maxItems: RESOURCE_TYPES.length,
    maxLength: 20,
    choices: RESOURCE_TYPES,
    example: ['image', 'font'],
  })
  block_resource_types: string[] = [];

  @TextList(
    'Patterns of URLs whose requests are blocked. `*` matches any text, every other character matches itself. Only the first 4,096 characters of a URL are matched. It applies to frames and workers, too, but not to WebSockets. The target itself is never blocked.',
    { exposure: 'public', maxItems: 100, maxLength: 2_048, example: ['*://*.doubleclick.net/*'] },
  )
  block_urls: string[] = [];
}

/** `clean` speaks for all of them, whether it is true or false. */
const decides = {
  clean: ['block_ads', 'block_trackers', 'block_chats', 'block_annoyances', 'block_cookie_banners'],
};

/** The lists are about the page, whose address may be the base of HTML. */
type Options = BlockingOptions &
  Pick<TargetOptions, 'base_url'> &
  Pick<EmulationOptions, 'javascript'> &
  Pick<PageChangesOptions, 'js' | 'click_selector'>;

export function kindsOf(options: BlockingOptions): BlockingKind[] {
  return BLOCKING_KINDS.filter((kind) => options[`block_${kind}`] ?? options.clean);
}

async function prepare(visit: Visit, options: Options): Promise<void> {
  const kinds = kindsOf(options);
  const types = new Set<string>(options.block_resource_types);
  const globs = options.block_urls.map(readGlob);
  if (kinds.length === 0 && types.size === 0 && globs.length === 0) return;
  if (kinds.includes('annoyances')) visit.activity ??= new PageActivity();
  const start = visit.target?.href ?? options.base_url ?? NOWHERE;
  const filter = kinds.length > 0 ? new RequestFilter(visit.filters, kinds, start) : undefined;
  const matchesUrl = globs.length > 0 ? (url: string) => matchesAny(globs, url) : undefined;
  const blocker = new RequestBlocker(visit, { types, matchesUrl, filter });
  if (!filter) return blocker.start();
  const { blocked } = visit.facts;
  visit.screenHosts((host) => {
    const kind = filter.judgeHost(host);
    if (kind !== undefined) blocked[kind] += 1;
    return kind !== undefined;
  });
  visit.hiddenKinds.push(...kinds);
  await Promise.all([blocker.start(), FilterStyles.start(visit, blocker.collapsed)]);
}

async function settle(visit: Visit, options: Options): Promise<void> {
  if (!kindsOf(options).includes('annoyances')) return;
  // Only workers need it.
  const { PageOverlays } = await import('../overlays/page-overlays.js');
  const { javascript: hasScripts, js, click_selector: toClick } = options;
  visit.facts.overlays = [];
  visit.cleaners.push(new PageOverlays(visit, { hasScripts, actsOnPage: (js ?? toClick) !== undefined }));
}

export const blocking = defineFamily<BlockingOptions, Options>(
  {
    name: 'blocking',
    doc: 'Requests that are blocked, and parts of the page that are hidden. `block_ads`, `block_trackers`, `block_chats` and `block_annoyances` apply filter lists with their exceptions. They never block requests to the site of the target, or to the sites to which it redirects.',
  },
  BlockingOptions,
  { decides, prepare, settle },
);
