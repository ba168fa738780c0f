import type { Protocol } from 'puppeteer';
import type { Visit } from './family.js';
import { frameIdOf } from './frame-sessions.js';
import { inPage } from './in-page.js';
import { isLoaded, type LoadMoment } from './is-loaded.js';
import { unreachableError } from './unreachable-page.js';
import { poll, WaitTimeoutError, withDeadline, type Deadline } from './wait.js';

/**
 * Performs an action on the page and, when that makes the page navigate, waits until the new document has loaded. Returns
 * whether the page shows another document. One that does not load in time is left to the deadline of the capture.
 */
export async function followNavigation(visit: Visit, act: () => Promise<void>): Promise<boolean> {
  const navigation = new PageNavigation(visit, 'load');
  navigation.start();
  try {
    await act().catch((fault: unknown) => {
      // When the page navigates, its script ends with a protocol error that is not the script's.
      if (!navigation.hasBegun) throw fault;
    });
    const until = performance.now() + visit.remainingMs();
    return await navigation.follow({ until, message: LATE }).catch((error: unknown) => {
      if (error instanceof WaitTimeoutError) return true;
      throw error;
    });
  } finally {
    navigation.stop();
  }
}

const LATE = 'The page navigated to another address that did not load in time.';

/**
 * Follows the page when an action makes it navigate, until the new document has loaded. A download, or a response without
 * content, ends the navigation and leaves the page as it is.
 */
export class PageNavigation {
  private readonly mainFrame: string;
  private isNavigating = false;
  private hasArrived = false;
  private unreachable: string | undefined;
  private ended = Promise.withResolvers<void>();

  constructor(
    private readonly visit: Visit,
    private readonly moment: LoadMoment,
  ) {
    this.mainFrame = frameIdOf(visit.mainFrame);
  }

  /** Costs no round trip: the engine has enabled the events. */
  start(): void {
    const { cdp } = this.visit;
    cdp.on('Page.frameRequestedNavigation', this.onRequest);
    cdp.on('Page.frameStartedNavigating', this.onStart);
    cdp.on('Page.frameNavigated', this.onArrival);
    cdp.on('Page.frameStoppedLoading', this.onStop);
  }

  /** The page navigates, or has done so since it was last followed. */
  get hasBegun(): boolean {
    return this.isNavigating || this.hasArrived;
  }

  stop(): void {
    const { cdp } = this.visit;
    cdp.off('Page.frameRequestedNavigation', this.onRequest);
    cdp.off('Page.frameStartedNavigating', this.onStart);
    cdp.off('Page.frameNavigated', this.onArrival);
    cdp.off('Page.frameStoppedLoading', this.onStop);
  }

  /**
   * Waits for the navigation that began since the last call. Returns whether the page shows another document.
   *
   * @throws WaitTimeoutError; Error or AppError when the new address cannot be reached
   */
  async follow(deadline: Deadline): Promise<boolean> {
    // The browser reports a navigation after the input that caused it; one more round trip ensures that it has.
    await withDeadline(deadline, this.visit.cdp.send('Runtime.getIsolateId'));
    while (this.isNavigating) await withDeadline(deadline, this.ended.promise);
    if (!this.hasArrived) return false;
    this.hasArrived = false;
    const error = unreachableError(this.visit, this.unreachable);
    if (error) throw error;
    await poll(this.visit, deadline, () => inPage(this.visit, isLoaded, this.moment));
    return true;
  }

  private readonly onRequest = ({ frameId }: Protocol.Page.FrameRequestedNavigationEvent): void => {
    this.begin(frameId);
  };

  private readonly onStart = (event: Protocol.Page.FrameStartedNavigatingEvent): void => {
    if (event.navigationType !== 'sameDocument' && event.navigationType !== 'historySameDocument') {
      this.begin(event.frameId);
    }
  };

  private readonly onArrival = ({ frame }: Protocol.Page.FrameNavigatedEvent): void => {
    if (frame.id !== this.mainFrame) return;
    this.hasArrived = true;
    this.unreachable = frame.unreachableUrl;
    this.end();
  };

  private readonly onStop = ({ frameId }: Protocol.Page.FrameStoppedLoadingEvent): void => {
    if (frameId === this.mainFrame) this.end();
  };

  private begin(frameId: string): void {
    if (frameId !== this.mainFrame || this.isNavigating) return;
    this.isNavigating = true;
    this.ended = Promise.withResolvers();
  }

  private end(): void {
    this.isNavigating = false;
    this.ended.resolve();
  }
}
