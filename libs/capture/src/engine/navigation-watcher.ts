import { AppError } from '@app/kernel';
import { onWaitTimeout, waitBudgetMs, type WaitingOptions } from '../options/waiting.js';
import type { Visit } from '../pipeline/family.js';
import { inPage, endlessNavigation, PageScriptError, type SafeAccess } from '../pipeline/in-page.js';
import { withDeadline, poll, WaitTimeoutError } from '../pipeline/wait.js';
import { checkDocument } from './check-document.js';

/** A page that goes on this often is going round in circles. */
const MAX_DEPARTURES = 10;
/** A page that is not busy answers within this. */
const ANSWER_MS = 100;

/**
 * Follows a page that goes on to another address by itself: by `<meta http-equiv=refresh>`, or by a script once it is
 * loaded. What Chromium draws or prints at that moment fails or, worse, never comes back: it has to be asked anew.
 */
export class NavigationWatcher {
  private departure = Promise.withResolvers<void>();
  private arrival = Promise.withResolvers<void>();
  private isLeaving = false;
  private mainFrame?: string;
  private unreachable?: string;

  constructor(private readonly visit: Visit) {}

  /** Costs no round trip of its own: the browser's answers come before the events that need them. */
  watch(): void {
    const { cdp } = this.visit;
    cdp.on('Page.frameScheduledNavigation', ({ frameId, reason, delay }) => {
      if (reason !== 'scriptInitiated' && delay === 0) this.leave(frameId);
    });
    cdp.on('Page.frameRequestedNavigation', ({ frameId }) => {
      this.leave(frameId);
    });
    cdp.on('Page.frameStartedNavigating', ({ frameId, navigationType }) => {
      if (navigationType === 'differentDocument') this.leave(frameId);
    });
    cdp.on('Page.frameNavigated', ({ frame }) => {
      if (frame.id === this.mainFrame) this.arrive(frame.unreachableUrl);
    });
    // Without having gone anywhere: it was a download, or an answer without content.
    cdp.on('Page.frameStoppedLoading', ({ frameId }) => {
      if (frameId === this.mainFrame && this.isLeaving) this.arrive(undefined);
    });
    const asked = Promise.all([
      cdp.send('Page.getFrameTree').then(({ frameTree }) => {
        this.mainFrame = frameTree.frame.id;
      }),
      cdp.send('Page.enable'),
    ]);
    // Without a session the capture ends by itself.
    asked.catch(() => undefined);
  }

  /**
   * Waits for a page that is on its way to another address to get there and to load.
   *
   * @throws AppError `target_connection_failed` when nothing is there
   */
  async over(options: WaitingOptions): Promise<void> {
    await this.heard();
    const wait = {
      until: performance.now() + waitBudgetMs(this.visit, options),
      message: 'The page navigated to another address that did not load in time.',
    };
    try {
      for (let count = 0; this.isLeaving && count < MAX_DEPARTURES; count += 1) {
        await withDeadline(wait, this.arrival.promise);
        await poll(this.visit, wait, () => inPage(this.visit, isLoaded, options.wait_until));
        await this.heard();
      }
    } catch (error) {
      if (!(error instanceof WaitTimeoutError)) throw error;
      onWaitTimeout(this.visit, options, error.message);
      // Until the other document answers, or is given up, this one cannot be drawn.
      await this.visit.cdp.send('Page.stopLoading');
      this.arrive(undefined);
    }
    await this.checkArrival(options);
  }

  /** What `work` makes of the page, made anew when the page went elsewhere meanwhile. */
  async redoing<T>(options: WaitingOptions, work: () => Promise<T>): Promise<T> {
    for (let count = 0; count < MAX_DEPARTURES; count += 1) {
      const making = work();
      // Given up on, it may yet fail; nobody listens any more.
      making.catch(() => undefined);
      try {
        const made = await Promise.race([making.then((value) => ({ value })), this.departure.promise]);
        if (made) {
          await this.checkArrival(options);
          return made.value;
        }
      } catch (error) {
        if (!this.isLeaving) throw error;
      }
      await this.over(options);
    }
    throw endlessNavigation();
  }

  /**
   * By the page's next answer, a departure that its load set off has been reported. What the page is asked releases its
   * drawing, so that this costs no question of its own. A page that is busy is not waited for.
   */
  private async heard(): Promise<void> {
    const wait = { until: performance.now() + ANSWER_MS, message: 'The page is busy.' };
    try {
      await withDeadline(wait, inPage(this.visit, releaseDrawing, null));
    } catch (error) {
      if (!(error instanceof WaitTimeoutError || error instanceof PageScriptError)) throw error;
    }
  }

  /** Chromium shows a page of its own where it could not get to, at whatever moment it tried: that is no capture. */
  private async checkArrival(options: WaitingOptions): Promise<void> {
    const { unreachable } = this;
    // An error page without a word of the server's own is not the server missing.
    if (unreachable !== undefined && unreachable !== this.visit.response?.url()) {
      const netError = this.visit.netErrorOf(unreachable);
      if (netError !== undefined) throw new Error(`net::${netError} at ${unreachable}`);
      throw new AppError('target_connection_failed', {
        detail: 'The page navigated to another address that could not be reached.',
      });
    }
    await checkDocument(this.visit, options);
  }

  private leave(frameId: string): void {
    if (frameId !== this.mainFrame || this.isLeaving) return;
    this.isLeaving = true;
    this.unreachable = undefined;
    this.arrival = Promise.withResolvers();
    this.departure.resolve();
  }

  private arrive(unreachable: string | undefined): void {
    this.isLeaving = false;
    this.unreachable = unreachable;
    this.departure = Promise.withResolvers();
    this.arrival.resolve();
  }
}

/** Runs in the page. */
function isLoaded(moment: WaitingOptions['wait_until'], safe: SafeAccess): boolean {
  const { readyState } = safe(document);
  return readyState === 'complete' || (moment === 'domcontentloaded' && readyState !== 'loading');
}

/**
 * Runs in the page. Chromium does not draw an HTML document before the parser has met its body. When the page stops the
 * parser earlier, a picture would never come. Parsing a body outside the page ends that wait.
 */
function releaseDrawing(_: null, safe: SafeAccess): void {
  const page = safe(document);
  if (page.contentType === 'text/html') page.createElement('html').innerHTML = '<body></body>';
}
