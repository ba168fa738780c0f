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
import type { CompiledFilters, Part } from './compile-filters.js';
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

type Test = (filter: NetworkFilter) => boolean;

/** Compiled lists. A rule is read from its compact form when a request first needs it. */
export class ListFilterSet implements FilterSet {
  private readonly engines: Readonly<Record<FilterKind, readonly FiltersEngine[]>>;
  private readonly exceptions: FiltersEngine;
  private readonly disabled: ReadonlySet<number>;
  private readonly styles: PageStyles;
  private hostExceptions: HostExceptions | undefined;

  /**
   * @param layers lists that were compiled apart; together they are as one
   * @throws Error when another version of the engine compiled them, or their bytes are damaged
   */
  constructor(...layers: readonly CompiledFilters[]) {
    const read = (part: Part) => (layer: CompiledFilters) => FiltersEngine.deserialize(layer.parts[part]);
    const enginesOf = (kind: FilterKind) => layers.filter(({ rules }) => rules[kind] > 0).map(read(kind));
    this.engines = Object.fromEntries(FILTER_KINDS.map((kind) => [kind, enginesOf(kind)])) as Record<
      FilterKind,
      FiltersEngine[]
    >;
    this.exceptions = merge(layers.map(read('exceptions')));
    this.disabled = new Set(layers.flatMap((layer) => layer.disabled));
    this.styles = new PageStyles(this.engines, this.exceptions);
  }

  judge({ url, type, documentUrl }: FilteredRequest, kinds: readonly FilterKind[]): FilterVerdict {
    const request = requestOf(url, TYPES[type], documentUrl);
    const exception = once(
      () => this.find(this.exceptions.exceptions.index, request) ?? this.pageException(documentUrl),
    );
    let isAllowed = false;
    for (const kind of kinds) {
      const blocking = this.blocking(kind, request);
      if (blocking === undefined) continue;
      if (!overrides(exception(), blocking)) return kind;
      isAllowed = true;
    }
    return isAllowed ? 'allowed' : undefined;
  }

  judgeHost(host: string, documentUrl: string, kinds: readonly FilterKind[]): FilterVerdict {
    const request = requestOf(`https://${host}/`, 'other', documentUrl);
    const kind = kinds.find((each) => this.blocking(each, request, isHostRule) !== undefined);
    if (kind === undefined) return undefined;
    if (this.pageException(documentUrl) !== undefined) return 'allowed';
    this.hostExceptions ??= new HostExceptions(this.exceptions.exceptions.index.getFilters());
    return this.hostExceptions.mayHold(request) ? 'allowed' : kind;
  }

  stylesFor(url: string, kinds: readonly FilterKind[], features?: PageFeatures): string {
    return this.pageException(url) === undefined ? this.styles.stylesFor(url, kinds, features) : '';
  }

  /** The rule of the kind's lists that blocks the request. */
  private blocking(kind: FilterKind, request: Request, counts?: Test): NetworkFilter | undefined {
    for (const { importants, redirects, filters } of this.engines[kind]) {
      for (const { index } of [importants, redirects, filters]) {
        const found = this.find(index, request, counts);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  /** The exception that turns all rules off on a page: `@@||host^$document`. */
  private pageException(documentUrl: string): NetworkFilter | undefined {
    const page = requestOf(documentUrl, 'main_frame', documentUrl);
    return this.find(this.exceptions.exceptions.index, page, (filter) => !filter.isCptAllowed('other'));
  }

  /** The first rule that matches, and is one of those that count. */
  private find(
    index: ReverseIndex<NetworkFilter>,
    request: Request,
    counts: Test = () => true,
  ): NetworkFilter | undefined {
    let found: NetworkFilter | undefined;
    index.iterMatchingFilters(request.getTokens(), (filter) => {
      filter.regex ??= linearPattern(filter);
      if (!filter.match(request) || !counts(filter) || this.disabled.has(filter.getId())) return true;
      found = filter;
      return false;
    });
    return found;
  }
}

function requestOf(url: string, type: Request['type'], sourceUrl: string): Request {
  return Request.fromRawDetails({ url: url.slice(0, MAX_URL), type, sourceUrl: sourceUrl.slice(0, MAX_URL) });
}

/** `$important` of a rule beats an exception that has none. */
function overrides(exception: NetworkFilter | undefined, blocking: NetworkFilter): boolean {
  return exception !== undefined && (exception.isImportant() || !blocking.isImportant());
}

function merge([first = FiltersEngine.empty(), ...others]: readonly FiltersEngine[]): FiltersEngine {
  return others.length === 0 ? first : FiltersEngine.merge([first, ...others]);
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
