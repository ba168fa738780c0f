import { hostOf, siteOf } from '@app/kernel';
import type { FilteredRequest, FilterKind, FilterSet } from '@app/filters';
import type { BlockedRequests } from '../record/requests.js';

/** The kinds of filter lists that block requests; lists of consent dialogs only hide them. */
export const BLOCKING_KINDS = [
  'ads',
  'trackers',
  'chats',
  'annoyances',
] as const satisfies readonly (FilterKind & keyof BlockedRequests)[];
export type BlockingKind = (typeof BLOCKING_KINDS)[number];

/** More hosts and frames than a usual page has; a page that makes new ones without end must not fill the memory. */
const MAX_HOSTS = 2_000;
const MAX_FRAMES = 2_000;
/** Lists match the beginning of a URL, and a page can make them 2 MB long. */
const MAX_URL_LENGTH = 4_096;

/** A request of the page, as the browser reports it. */
export interface PageRequest {
  readonly url: string;
  readonly type: FilteredRequest['type'];
  /** The frame whose document makes the request, or which a document is requested for; undefined for a worker of no frame. */
  readonly frameId: string | undefined;
  /** The topmost frame in its process. */
  readonly topFrameId: string | undefined;
  readonly referrer: string | undefined;
}

/**
 * Decides for one capture what the filter lists block. Nothing of the sites of the page itself is blocked: of the target, of
 * all that it redirects to and of all that the page navigates to.
 *
 * Requests are judged by URL where the browser pauses them. The egress proxy sees the rest (fonts, style sheets, WebSockets,
 * prefetches), but only the hosts of it.
 */
export class RequestFilter {
  private pageUrl: string;
  private readonly ownSites = new Set<string>();
  /** The latest document of each frame; a frame without one inherits that of its process. */
  private readonly documents = new Map<string, string>();
  /** Hosts with a request that was passed by URL, for an exception or for the document that it belongs to. */
  private readonly passedHosts = new Set<string>();

  constructor(
    private readonly filters: FilterSet,
    private readonly kinds: readonly BlockingKind[],
    /** The address that the page is opened at. */
    start: string,
  ) {
    this.pageUrl = start;
    this.openPage(start);
  }

  /** Call for each document of the page itself, redirects included, before it is requested. */
  openPage(url: string): void {
    this.pageUrl = url.slice(0, MAX_URL_LENGTH);
    const parsed = URL.parse(url);
    if (parsed && this.ownSites.size < MAX_HOSTS) this.ownSites.add(siteOf(hostOf(parsed)));
  }

  /** The kind that blocks a request; undefined when it is passed. */
  judge(request: PageRequest): BlockingKind | undefined {
    const parsed = URL.parse(request.url);
    if (!parsed) return undefined;
    const host = hostOf(parsed);
    const kind = this.ownSites.has(siteOf(host)) ? undefined : this.kindOf(request);
    if (kind !== undefined) return kind;
    if (this.passedHosts.size < MAX_HOSTS) this.passedHosts.add(host);
    if (request.type === 'document') this.openDocument(request);
    return undefined;
  }

  /** The kind that blocks everything of a host; undefined when a request to it is passed. */
  judgeHost(host: string): BlockingKind | undefined {
    if (this.passedHosts.has(host) || this.ownSites.has(siteOf(host))) return undefined;
    return this.blockingKind(this.filters.judgeHost(host, this.pageUrl, this.kinds));
  }

  private kindOf({ url, type, ...request }: PageRequest): BlockingKind | undefined {
    const documentUrl = type === 'document' ? this.pageUrl : this.documentOf(request);
    const filtered = { url: url.slice(0, MAX_URL_LENGTH), type, documentUrl };
    return this.blockingKind(this.filters.judge(filtered, this.kinds));
  }

  private documentOf({ frameId, topFrameId, referrer }: Omit<PageRequest, 'url' | 'type'>): string {
    const own = this.documents.get(frameId ?? '') ?? this.documents.get(topFrameId ?? '');
    return own ?? (topFrameId === undefined ? referrer : undefined) ?? this.pageUrl;
  }

  private openDocument({ frameId, url }: PageRequest): void {
    if (frameId === undefined) return;
    this.documents.delete(frameId);
    this.documents.set(frameId, url.slice(0, MAX_URL_LENGTH));
    const [oldest] = this.documents.keys();
    if (this.documents.size > MAX_FRAMES && oldest !== undefined) this.documents.delete(oldest);
  }

  private blockingKind(verdict: ReturnType<FilterSet['judge']>): BlockingKind | undefined {
    return this.kinds.find((kind) => kind === verdict);
  }
}
