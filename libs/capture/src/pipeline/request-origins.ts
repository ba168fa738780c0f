import type { CDPSession, HTTPRequest, Protocol } from 'puppeteer';

/** A document of the page, with the security origin of its scripts. */
interface PageDocument {
  readonly parent: PageDocument | undefined;
  /** The empty document of a frame before its first navigation: it holds only what its parent writes into it. */
  readonly isInitial: boolean;
  /** `://` for an opaque origin; undefined until the browser reports it. */
  origin?: string;
}

interface Issued {
  /** The document whose script or markup issued the request; undefined for a navigation, whose initiator may be another. */
  readonly by: PageDocument | undefined;
  /** The frame that a navigation loads; undefined for other requests. */
  readonly frameId: string | undefined;
  /** A foreign server or document took part in the request: no later hop of it is trusted again. */
  isForeign: boolean;
}

const OPAQUE = '://';
const UNKNOWN: PageDocument = { parent: undefined, isInitial: false, origin: OPAQUE };

/**
 * Determines which requests come from one origin alone: issued by its own documents and never redirected through another
 * server.
 *
 * It reads the browser's events on Puppeteer's sessions with the page, its frames and its dedicated workers. A renderer
 * reports a new document and its security origin before anything that its scripts do, navigations included, because the
 * reports and a navigation travel through one pipe. What was not reported is not trusted. The renderer cannot be asked about
 * a navigation of the page: Chromium answers only when the navigation is over.
 *
 * The security origin counts, not the URL: a sandboxed document of the origin is foreign, and `about:srcdoc` inherits the
 * origin of its parent.
 */
export class RequestOrigins {
  private readonly documents = new Map<string, PageDocument>();
  /** Requests to the origin, by request id. The egress proxy limits their number. */
  private readonly issued = new Map<string, Issued>();
  private isFollowing = false;

  constructor(private readonly origin: string) {}

  /**
   * Who took part in a request to the origin: only its `own` documents and servers, or also `foreign` ones. Undefined for a
   * request to another origin. Must be called for every request of the page, the navigation to the target first.
   */
  async initiatorOf(request: HTTPRequest): Promise<'own' | 'foreign' | undefined> {
    if (!this.isFollowing) this.start(request);
    if (originOf(request.url()) !== this.origin) return undefined;
    // Puppeteer handles an event before the listeners here do.
    await Promise.resolve();
    const issued = this.issued.get(idOf(request));
    if (!issued || issued.isForeign) return 'foreign';
    if (issued === OPENING || (await this.isIssuedByOwn(issued, request))) return 'own';
    issued.isForeign = true;
    return 'foreign';
  }

  private start(opening: HTTPRequest): void {
    this.isFollowing = true;
    this.issued.set(idOf(opening), OPENING);
    this.follow(opening.client);
  }

  private async isIssuedByOwn({ by, frameId }: Issued, request: HTTPRequest): Promise<boolean> {
    if (frameId !== undefined) return this.isNavigatedByOwn(frameId, request);
    // Preload requests of the parser are reported just before the origin, which is known after one more round trip.
    if (by && by.origin === undefined)
      await request.client.send('Runtime.getIsolateId').catch(() => undefined);
    return this.isOwn(by);
  }

  /** A foreign page that embeds a document could choose what it requests, so all ancestors count. */
  private isOwn(document: PageDocument | undefined): boolean {
    return document?.origin === this.origin && (!document.parent || this.isOwn(document.parent));
  }

  /**
   * The browser does not report who navigates a frame. Only a frame itself and its ancestors can navigate a nested frame, but
   * any frame can navigate the page. The `Referer` rules out foreign frames: only the origin itself, and opaque origins
   * below it, can send it.
   */
  private isNavigatedByOwn(frameId: string, request: HTTPRequest): boolean {
    const shown = this.documents.get(frameId);
    if (shown?.parent) return shown.isInitial ? this.isOwn(shown.parent) : this.isOwn(shown);
    const isReferred = originOf(request.headers()['referer'] ?? '') === this.origin;
    return (
      this.isOwn(shown) &&
      [...this.documents.values()].every(
        ({ origin, isInitial }) =>
          origin === this.origin || (origin === undefined ? isInitial : isReferred && origin !== OPAQUE),
      )
    );
  }

  /** @param owner The document that a worker belongs to. */
  private follow(session: CDPSession, owner?: PageDocument): void {
    session.on('Network.requestWillBeSent', (event) => {
      this.record(event, owner);
    });
    session.on('Target.attachedToTarget', ({ sessionId, targetInfo: { type, targetId } }) => {
      const attached = session.connection()?.session(sessionId);
      // A worker's target id is the id of the request for its script, which has the worker's origin.
      const worker = this.issued.get(targetId)?.by;
      if (type === 'iframe' && attached) this.follow(attached);
      if (type === 'worker' && attached && worker) this.follow(attached, worker);
    });
    if (owner) return;
    session.on('Page.frameAttached', ({ frameId, parentFrameId }) => {
      this.documents.set(frameId, { parent: this.parentOf(parentFrameId), isInitial: true });
    });
    session.on('Page.frameNavigated', ({ frame: { id, parentId } }) => {
      this.forget(id);
      this.documents.set(id, { parent: this.parentOf(parentId), isInitial: false });
    });
    session.on('Page.frameDetached', ({ frameId, reason }) => {
      const gone = this.forget(frameId);
      // The frame continues in another process, which reports its document.
      if (reason === 'swap' && gone) this.documents.set(frameId, { parent: gone.parent, isInitial: false });
    });
    session.on('Runtime.executionContextCreated', ({ context }) => {
      const { isDefault, frameId } = (context.auxData ?? {}) as { isDefault?: boolean; frameId?: string };
      const document = this.documents.get(frameId ?? '');
      if (isDefault === true && document) document.origin = context.origin;
    });
  }

  /** The document that embeds a frame; an unknown one is not trusted. */
  private parentOf(frameId: string | undefined): PageDocument | undefined {
    return frameId === undefined ? undefined : (this.documents.get(frameId) ?? UNKNOWN);
  }

  /** Forgets the document of a frame and of the frames in it. */
  private forget(frameId: string): PageDocument | undefined {
    const gone = this.documents.get(frameId);
    this.documents.delete(frameId);
    for (const [id, { parent }] of this.documents) if (gone && parent === gone) this.forget(id);
    return gone;
  }

  private record(event: Protocol.Network.RequestWillBeSentEvent, owner: PageDocument | undefined): void {
    const { requestId, loaderId, frameId, type, request, redirectResponse } = event;
    if (originOf(request.url) !== this.origin) return;
    const isNavigation = requestId === loaderId && type === 'Document';
    // Only worker scripts matter among blobs, and a page can create any number of others.
    if (request.url.startsWith('blob:') && (loaderId !== '' || type !== 'Script')) return;
    const issued = this.issued.get(requestId) ?? {
      by: isNavigation ? undefined : (owner ?? this.documents.get(frameId ?? '')),
      frameId: isNavigation ? frameId : undefined,
      isForeign: false,
    };
    const cameBack = redirectResponse !== undefined && originOf(redirectResponse.url) !== this.origin;
    this.issued.set(requestId, cameBack ? { ...issued, isForeign: true } : issued);
  }
}

/** The navigation of the capture itself, in which no document takes part. */
const OPENING: Issued = { by: undefined, frameId: undefined, isForeign: false };

/** The request id of the browser's events. Puppeteer has it but leaves it out of its types. */
export function idOf(request: HTTPRequest): string {
  return (request as HTTPRequest & { readonly id?: string }).id ?? '';
}

/** The origin of an http(s) or blob: URL; `null` for other URLs. */
function originOf(url: string): string | undefined {
  return URL.parse(url)?.origin;
}
