import type { HTTPRequest, Protocol } from 'puppeteer';
import type { RequestType } from '@app/filters';
import { withTimeout } from '@app/kernel';
import type { Visit } from '../pipeline/family.js';
import type { FrameSession } from '../pipeline/frame-sessions.js';
import type { PageRequest, RequestFilter } from './request-filter.js';
import { idOf } from '../pipeline/request-origins.js';

type Paused = Protocol.Fetch.RequestPausedEvent;

/** The types that lists block by URL. Fonts and style sheets never pause: the egress proxy blocks them by host. */
const LISTED_TYPES: readonly Protocol.Network.ResourceType[] = [
  'Document',
  'Script',
  'XHR',
  'Fetch',
  'Image',
  'Media',
  'Ping',
  'Other',
];
/** Types of `block_resource_types` that a paused request has as they are; the others are known only to the renderer. */
const PLAIN_TYPES: Readonly<Record<string, Protocol.Network.ResourceType>> = {
  image: 'Image',
  media: 'Media',
  font: 'Font',
  stylesheet: 'Stylesheet',
  ping: 'Ping',
};
/** The names that lists have for the types of the browser; all others are `other`. */
const LISTED_NAMES: Readonly<Record<string, RequestType>> = {
  Document: 'document',
  Script: 'script',
  XHR: 'xhr',
  Fetch: 'fetch',
  Image: 'image',
  Media: 'media',
  Ping: 'ping',
  Stylesheet: 'stylesheet',
  Font: 'font',
};
/** What a list blocked of these types leaves an empty box on the page. */
const BOXES: readonly string[] = ['Image', 'Media', 'Document'] satisfies Protocol.Network.ResourceType[];

/** The renderer reports a request within this time of its pause. */
const REPORT_MS = 500;
/** Limits of the elements that are hidden because what they show was blocked. */
const MAX_COLLAPSED = 1_000;
const MAX_COLLAPSED_LENGTH = 2_048;

/** What to block, by the options of the caller and by filter lists. */
export interface BlockRules {
  /** As `block_resource_types`. */
  readonly types: ReadonlySet<string>;
  /** As `block_urls`; undefined without any. */
  readonly matchesUrl: ((url: string) => boolean) | undefined;
  readonly filter: RequestFilter | undefined;
}

/**
 * Pauses the requests of the page, its frames and its workers in the browser, and fails those that are blocked. It uses the
 * Fetch domain of sessions of its own and only for the types that the rules are about: Puppeteer's interception pauses
 * everything, and has no part in frames of workers.
 */
export class RequestBlocker {
  /** URLs of pictures and frames that were blocked by lists, whose elements are empty boxes. */
  readonly collapsed = new Set<string>();
  private readonly types?: ReportedTypes;
  private mainFrameId?: string;

  constructor(
    private readonly visit: Visit,
    private readonly rules: BlockRules,
  ) {
    const isReported = [...rules.types].some((type) => !(type in PLAIN_TYPES));
    if (isReported) this.types = new ReportedTypes();
  }

  async start(): Promise<void> {
    const { visit, types } = this;
    await visit.proxyAuthentication.authenticate();
    if (types) {
      visit.page.on('request', (request) => {
        types.add(request);
      });
    }
    await visit.frameSessions.follow((session) => this.join(session));
  }

  private async join(session: FrameSession): Promise<void> {
    const { cdp } = session;
    if (session.type === 'page') this.mainFrameId = session.frameId;
    cdp.on('Fetch.requestPaused', (paused) => {
      void this.answer(session, paused);
    });
    await cdp.send('Fetch.enable', { patterns: this.patterns() });
  }

  private patterns(): Protocol.Fetch.RequestPattern[] {
    const { types, matchesUrl, filter } = this.rules;
    if (this.types || matchesUrl) return [{ urlPattern: '*' }];
    const plain = [...types].flatMap((type) => PLAIN_TYPES[type] ?? []);
    const paused = new Set([...plain, ...(filter ? LISTED_TYPES : [])]);
    return [...paused].map((resourceType) => ({ urlPattern: '*', resourceType }));
  }

  private async answer({ cdp, frameId }: FrameSession, paused: Paused): Promise<void> {
    const { requestId } = paused;
    try {
      const isBlocked = await this.isBlocked(paused, frameId);
      await (isBlocked
        ? // A frame that was canceled stays empty; otherwise it would show Chromium's error page.
          cdp.send('Fetch.failRequest', {
            requestId,
            errorReason: isDocument(paused) ? 'Aborted' : 'BlockedByClient',
          })
        : cdp.send('Fetch.continueRequest', { requestId }));
    } catch {
      // The request, its frame or its page is gone.
    }
  }

  /** Whether a request is blocked, which is counted. The document of the page never is. */
  private async isBlocked(paused: Paused, topFrameId: string | undefined): Promise<boolean> {
    const { filter, matchesUrl, types } = this.rules;
    const url = paused.request.url + (paused.request.urlFragment ?? '');
    if (isDocument(paused) && paused.frameId === this.mainFrameId) {
      filter?.openPage(url);
      return false;
    }
    if (matchesUrl?.(url) || (types.size > 0 && types.has(await this.typeOf(paused)))) {
      this.visit.facts.blocked.rules += 1;
      return true;
    }
    const kind = filter?.judge(requestOf(paused, topFrameId));
    if (kind === undefined) return false;
    this.visit.facts.blocked[kind] += 1;
    this.collapse(paused);
    return true;
  }

  private async typeOf({ networkId, resourceType }: Paused): Promise<string> {
    if (this.types && networkId !== undefined) return this.types.typeOf(networkId);
    // Requests of shared and service workers, of which no renderer reports anything.
    return resourceType === 'XHR' ? 'fetch' : resourceType.toLowerCase();
  }

  private collapse({ request, resourceType }: Paused): void {
    const isKept = this.collapsed.size < MAX_COLLAPSED && request.url.length <= MAX_COLLAPSED_LENGTH;
    if (isKept && BOXES.includes(resourceType)) this.collapsed.add(request.url);
  }
}

/** The types of requests as renderers report them: the browser knows no difference of `fetch`, `xhr` and `eventsource`. */
class ReportedTypes {
  private readonly types = new Map<string, PromiseWithResolvers<string>>();

  add(request: HTTPRequest): void {
    this.entry(idOf(request)).resolve(request.resourceType());
  }

  /** `other` when the type is not reported in time. */
  typeOf(networkId: string): Promise<string> {
    const reported = this.entry(networkId).promise;
    return withTimeout(reported, REPORT_MS, 'the report of a request').catch(() => 'other');
  }

  private entry(id: string): PromiseWithResolvers<string> {
    const known = this.types.get(id) ?? Promise.withResolvers<string>();
    this.types.set(id, known);
    return known;
  }
}

/** Whether a document is requested, of the page or of a frame in it. */
function isDocument({ resourceType }: Paused): boolean {
  return resourceType === 'Document';
}

function requestOf({ request, resourceType, frameId }: Paused, topFrameId: string | undefined): PageRequest {
  const isStream = request.headers['Accept'] === 'text/event-stream';
  return {
    url: request.url,
    type: isStream ? 'eventsource' : (LISTED_NAMES[resourceType] ?? 'other'),
    frameId: topFrameId === undefined ? undefined : frameId,
    topFrameId,
    referrer: request.headers['Referer'],
  };
}
