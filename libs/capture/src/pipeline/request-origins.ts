import type { CDPSession, HTTPRequest, Protocol } from 'puppeteer';

/** A document of the page, by the origin that the browser gives its scripts. */
interface PageDocument {
  readonly parent: PageDocument | undefined;
  /** The empty document that a frame has before its first navigation: it can only say what its parent writes into it. */
  readonly isInitial: boolean;
  /** `://` for an opaque origin; undefined until the browser has reported it. */
  origin?: string;
}

interface Issued {
  /** The document whose script or markup issued the request; undefined for a navigation, which may have another initiator. */
  readonly by: PageDocument | undefined;
  /** The frame that a navigation loads; undefined for any other request. */
  readonly frameId: string | undefined;
  /** A foreign server or document had a part in the request: no later hop of it is trusted again. */
  isForeign: boolean;
}

const OPAQUE = '://';
const UNKNOWN: PageDocument = { parent: undefined, isInitial: false, origin: OPAQUE };

/**
 * Knows which requests are the doing of one origin alone: issued by its own documents and never redirected past another
 * server.
 *
 * It reads the browser's events on the sessions that Puppeteer has on the page, its frames and its dedicated workers. A
 * renderer reports a new document and its security origin before anything that its scripts do, navigations included: the
 * reports and a navigation travel in one pipe. What was not reported is not trusted. The renderer cannot be asked about a
 * navigation of the page: Chromium holds back every question until the navigation is over.
 *
 * The security origin counts, not the URL: a sandboxed document of the origin is foreign, `about:srcdoc` inherits its
 * parent's.
 */
export class RequestOrigins {
  private readonly documents = new Map<string, PageDocument>();
  /** By the id of the request: those to the origin, of which the egress proxy limits the number. */
  private readonly issued = new Map<string, Issued>();
  private isFollowing = false;

  constructor(private readonly origin: string) {}

  /**
   * Who had a part in a request that is addressed to the origin: only documents and servers of its `own`, or `foreign`
   * ones too; undefined for a request to somewhere else. Must see every request of the page from the first one on, which
   * is the navigation that opens the target.
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
    // What the parser asks for ahead is reported a moment before the origin; by its next answer it has been.
    if (by && by.origin === undefined) await request.client.send('Page.getFrameTree').catch(() => undefined);
    return this.isOwn(by);
  }

  /** A foreign page that frames a document could choose what it requests, so the documents around it count as well. */
  private isOwn(document: PageDocument | undefined): boolean {
    return document?.origin === this.origin && (!document.parent || this.isOwn(document.parent));
  }

  /**
   * The browser does not report who navigates a frame. A frame within the page is navigated by itself and its ancestors
   * only, but the page itself by any frame in it: a foreign one is ruled out by the `Referer`, which no other origin than
   * the own one and opaque ones below it can have.
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
      // A worker has the id of the request for its script, which is of the origin that the worker has.
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
      // The frame goes on in another process, which reports its document.
      if (reason === 'swap' && gone) this.documents.set(frameId, { parent: gone.parent, isInitial: false });
    });
    session.on('Runtime.executionContextCreated', ({ context }) => {
      const { isDefault, frameId } = (context.auxData ?? {}) as { isDefault?: boolean; frameId?: string };
      const document = this.documents.get(frameId ?? '');
      if (isDefault === true && document) document.origin = context.origin;
    });
  }

  /** The document that has a frame of its own in this one; an unknown one is nobody's. */
  private parentOf(frameId: string | undefined): PageDocument | undefined {
    return frameId === undefined ? undefined : (this.documents.get(frameId) ?? UNKNOWN);
  }

  /** Forgets the document of a frame, and those of the frames in it. */
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
    // Among the blobs of a page only the scripts of workers matter, and a page can make any number of others.
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

/** What the capture itself asks for: no document has a part in it. */
const OPENING: Issued = { by: undefined, frameId: undefined, isForeign: false };

/** The id by which the browser's events name a request; Puppeteer has it, but leaves it out of its types. */
export function idOf(request: HTTPRequest): string {
  return (request as HTTPRequest & { readonly id?: string }).id ?? '';
}

/** The origin of an http(s) or blob: URL; `null` for what has none. */
function originOf(url: string): string | undefined {
  return URL.parse(url)?.origin;
}
