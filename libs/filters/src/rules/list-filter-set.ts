import { FiltersEngine, type NetworkFilter, type ReverseIndex, Request } from '@ghostery/adblocker';
import {
  FILTER_KINDS,
  type FilteredRequest,
  type FilterKind,
  type FilterSet,
  type FilterVerdict,
  type PageFeatures,
  type RequestType,
} from '../filter-set.js';
import type { CompiledFilters } from './compile-filters.js';
import { HostExceptions, isHostRule } from './host-rules.js';
import { linearPattern } from './linear-pattern.js';
import { PageStyles } from './page-styles.js';

/** A page may ask for URLs of megabytes; AdGuard looks at as much of one. */
const MAX_URL = 4_096;

/** The engine's names; to it, the document of a page is another type than that of a frame, and no list blocks the former. */
const TYPES = {
  document: 'sub_frame',
  stylesheet: 'stylesheet',
  image: 'image',
  media: 'media',
  font: 'font',
  script: 'script',
  xhr: 'xhr',
  fetch: 'xhr',
  // Extensions, which lists are written for, see it as XHR.
  eventsource: 'xhr',
  websocket: 'websocket',
  ping: 'ping',
  other: 'other',
} as const satisfies Record<RequestType, string>;

/** The compiled lists. Rules are read from their compact form when a request first needs them. */
export class ListFilterSet implements FilterSet {
  private readonly engines: Readonly<Record<FilterKind, FiltersEngine>>;
  private readonly exceptions: FiltersEngine;
  private readonly styles: PageStyles;
  private hostExceptions: HostExceptions | undefined;

  /** @throws Error when another version of the engine compiled the lists, or their bytes are damaged */
  constructor({ parts }: CompiledFilters) {
    this.exceptions = FiltersEngine.deserialize(parts.exceptions);
    this.engines = Object.fromEntries(
      FILTER_KINDS.map((kind) => [kind, FiltersEngine.deserialize(parts[kind])]),
    ) as Record<FilterKind, FiltersEngine>;
    this.styles = new PageStyles(this.engines, this.exceptions);
  }

  judge({ url, type, documentUrl }: FilteredRequest, kinds: readonly FilterKind[]): FilterVerdict {
    const request = requestOf(url, TYPES[type], documentUrl);
    const exception = once(
      () => find(this.exceptions.exceptions.index, request) ?? this.pageException(documentUrl),
    );
    let isAllowed = false;
    for (const kind of kinds) {
      const { importants, redirects, filters } = this.engines[kind];
      const blocking =
        find(importants.index, request) ?? find(redirects.index, request) ?? find(filters.index, request);
      if (blocking === undefined) continue;
      if (!overrides(exception(), blocking)) return kind;
      isAllowed = true;
    }
    return isAllowed ? 'allowed' : undefined;
  }

  judgeHost(host: string, documentUrl: string, kinds: readonly FilterKind[]): FilterVerdict {
    const request = requestOf(`https://${host}/`, 'other', documentUrl);
    const kind = kinds.find((each) => {
      const { importants, redirects, filters } = this.engines[each];
      return [importants, redirects, filters].some(
        ({ index }) => find(index, request, isHostRule) !== undefined,
      );
    });
    if (kind === undefined) return undefined;
    if (this.pageException(documentUrl) !== undefined) return 'allowed';
    this.hostExceptions ??= new HostExceptions(this.exceptions.exceptions.index.getFilters());
    return this.hostExceptions.mayHold(request) ? 'allowed' : kind;
  }

  stylesFor(url: string, kinds: readonly FilterKind[], features?: PageFeatures): string {
    return this.pageException(url) === undefined ? this.styles.stylesFor(url, kinds, features) : '';
  }

  /** The exception that turns all rules off on a page: `@@||host^$document`. */
  private pageException(documentUrl: string): NetworkFilter | undefined {
    const page = requestOf(documentUrl, 'main_frame', documentUrl);
    return find(this.exceptions.exceptions.index, page, (filter) => !filter.isCptAllowed('other'));
  }
}

function requestOf(url: string, type: Request['type'], sourceUrl: string): Request {
  return Request.fromRawDetails({ url: url.slice(0, MAX_URL), type, sourceUrl: sourceUrl.slice(0, MAX_URL) });
}

/** The first rule that matches, and is one of those that count. */
function find(
  index: ReverseIndex<NetworkFilter>,
  request: Request,
  counts: (filter: NetworkFilter) => boolean = () => true,
): NetworkFilter | undefined {
  let found: NetworkFilter | undefined;
  index.iterMatchingFilters(request.getTokens(), (filter) => {
    filter.regex ??= linearPattern(filter);
    if (!filter.match(request) || !counts(filter)) return true;
    found = filter;
    return false;
  });
  return found;
}

/** `$important` of a rule beats an exception that has none. */
function overrides(exception: NetworkFilter | undefined, blocking: NetworkFilter): boolean {
  return exception !== undefined && (exception.isImportant() || !blocking.isImportant());
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
