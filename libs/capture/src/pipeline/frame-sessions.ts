import type { CDPSession, Frame, Page } from 'puppeteer';

/** A page that embeds more frames in processes of their own at a time is hostile; the others are not followed. */
const MAX_SESSIONS = 300;

/** Dedicated workers need no session: requests of theirs pause in the session of their document. */
const FOLLOWED = ['iframe', 'service_worker'] as const;

/** What is followed of a page that a browser leases for a visit. */
interface LeasedPage {
  readonly page: Page;
  readonly cdp: CDPSession;
  /** Whether a session of the browser is one of a shared worker of this visit. */
  isSharedWorker(this: void, session: CDPSession): boolean;
}

/** A session with one target of the visit. */
export interface FrameSession {
  readonly cdp: CDPSession;
  /** `iframe`: a frame in a process of its own, together with the frames of its site in it. */
  readonly type: 'page' | (typeof FOLLOWED)[number] | 'shared_worker';
  /** The id of the topmost frame; undefined for workers. */
  readonly frameId: string | undefined;
}

/**
 * Prepares a target. Commands that must come before its scripts are sent before the first `await`, because the target is
 * resumed right afterwards. May reject when the target is gone.
 */
export type Join = (session: FrameSession) => Promise<void>;

/**
 * Sessions with all processes of a visit: the page, each frame in a process of its own, at any depth, and the service and
 * shared workers. Frames in the process of their parent belong to its session.
 *
 * The sessions are apart from Puppeteer's, which would act on the events of domains that are enabled here. A target that
 * starts later is paused until all followers have seen it. The sessions end with their targets.
 */
export class FrameSessions {
  private readonly joins: Join[] = [];
  private readonly live = new Map<string, FrameSession>();
  private following?: Promise<void>;

  constructor(
    private readonly lease: LeasedPage,
    private readonly maxSessions = MAX_SESSIONS,
  ) {}

  /**
   * Calls `join` with a session of the page, and of each other target as it starts. To be called before navigation.
   *
   * @throws what `join` throws for the page
   */
  async follow(join: Join): Promise<void> {
    this.joins.push(join);
    const joined = join({
      cdp: this.lease.cdp,
      type: 'page',
      frameId: frameIdOf(this.lease.page.mainFrame()),
    });
    for (const session of this.live.values()) void join(session).catch(ignoreGone);
    this.following ??= this.followAll();
    await Promise.all([joined, this.following]);
  }

  private async followAll(): Promise<void> {
    this.followSharedWorkers();
    await this.followChildren(this.lease.cdp);
  }

  private async followChildren(parent: CDPSession): Promise<void> {
    parent.on('Target.attachedToTarget', ({ sessionId, targetInfo: { type, targetId } }) => {
      const cdp = parent.connection()?.session(sessionId);
      const followed = FOLLOWED.find((name) => name === type);
      if (!cdp) return;
      if (!followed || this.live.size >= this.maxSessions) return resume(cdp, () => leave(parent, sessionId));
      this.start(cdp, { type: followed, frameId: followed === 'iframe' ? targetId : undefined });
      resume(cdp);
    });
    parent.on('Target.detachedFromTarget', ({ sessionId }) => {
      this.live.delete(sessionId);
    });
    await parent.send('Target.setAutoAttach', {
      autoAttach: true,
      waitForDebuggerOnStart: true,
      flatten: true,
      filter: FOLLOWED.map((type) => ({ type })),
    });
  }

  /** Only a session of the browser is attached to shared workers: Puppeteer's, which also resumes them. */
  private followSharedWorkers(): void {
    const connection = this.lease.cdp.connection();
    const start = (cdp: CDPSession): void => {
      // It may also be of a service worker, of a popup, or of the page of the next capture.
      if (this.lease.isSharedWorker(cdp)) this.start(cdp, { type: 'shared_worker', frameId: undefined });
    };
    connection?.on('sessionattached', start);
    this.lease.page.once('close', () => connection?.off('sessionattached', start));
  }

  private start(cdp: CDPSession, about: Pick<FrameSession, 'type' | 'frameId'>): void {
    const session: FrameSession = { cdp, ...about };
    if (about.type !== 'shared_worker') this.live.set(cdp.id(), session);
    if (about.type === 'iframe') this.followChildren(cdp).catch(ignoreGone);
    for (const join of this.joins) join(session).catch(ignoreGone);
  }
}

function resume(cdp: CDPSession, then: () => void = () => undefined): void {
  cdp.send('Runtime.runIfWaitingForDebugger').then(then, ignoreGone);
}

function leave(parent: CDPSession, sessionId: string): void {
  parent.send('Target.detachFromTarget', { sessionId }).catch(ignoreGone);
}

/** A target that ends in the meantime needs nothing any more. */
function ignoreGone(): void {
  // Nothing to do.
}

/** The document of a frame. */
export interface FrameDocument {
  /** The id of its frame. */
  readonly id: string;
  /** A document without a URL of its own belongs to the one around it; empty when that has none either. */
  readonly url: string;
}

/** Puppeteer's types leave these out. */
interface FrameInternals {
  readonly _id: string;
  readonly client: CDPSession;
}

/** The id of a frame in the protocol. */
export function frameIdOf(frame: Frame): string {
  return (frame as Frame & FrameInternals)._id;
}

/** Puppeteer's session with the process of a frame. */
export function processOf(frame: Frame): CDPSession {
  return (frame as Frame & FrameInternals).client;
}

/**
 * The documents in the process of a frame that is the topmost one there, itself first. Puppeteer knows them by the events of
 * the browser; the tree of frames that `Page.getFrameTree` returns repeats their addresses, each up to 4 MB, in every answer.
 */
export function documentsFrom(page: Page, frameId: string): FrameDocument[] {
  const top = page.frames().find((frame) => frameIdOf(frame) === frameId);
  return top ? documentsOf(top) : [];
}

function documentsOf(frame: Frame, around = ''): FrameDocument[] {
  const url = frame.url().startsWith('http') ? frame.url() : around;
  const inside = frame.childFrames().filter((child) => processOf(child) === processOf(frame));
  return [{ id: frameIdOf(frame), url }, ...inside.flatMap((child) => documentsOf(child, url))];
}
