import { markIncomplete } from '../record/completeness.js';
import { onWaitTimeout, waitBudgetMs, type WaitingOptions } from '../options/waiting.js';
import type { Visit } from '../pipeline/family.js';
import { frameIdOf } from '../pipeline/frame-sessions.js';
import { inPage, endlessNavigation, PageScriptError, type SafeAccess } from '../pipeline/in-page.js';
import { isLoaded } from '../pipeline/is-loaded.js';
import { unreachableError } from '../pipeline/unreachable-page.js';
import { lookAtArrival } from '../readiness/readiness.js';
import { withDeadline, poll, WaitTimeoutError } from '../pipeline/wait.js';
import { visitUntil } from './visit.js';

/** Chromium accepts any number as a status. RFC 9110 (section 15) allows only these, and a record holds no others. */
const MIN_STATUS = 200;
const MAX_STATUS = 999;
/** The egress proxy responds with this to a browser without its credential; it passes on no 407 of a target. */
const PROXY_STATUS = 407;

/** A page that navigates more often is in a loop. */
const MAX_NAVIGATIONS = 10;
/** A page that is not busy responds within this time. */
const RESPONSE_MS = 100;

/**
 * Follows a page that navigates by itself: by `<meta http-equiv=refresh>`, or by a script after it has loaded. A screenshot or
 * PDF that Chromium renders at that moment fails or never returns, and has to be requested again.
 */
export class NavigationWatcher {
  private started = Promise.withResolvers<void>();
  private ended = Promise.withResolvers<void>();
  private isNavigating = false;
  private readonly mainFrame: string;
  private unreachable?: string;

  constructor(private readonly visit: Visit) {
    this.mainFrame = frameIdOf(visit.mainFrame);
  }

  /** Costs no round trip: the events follow the command. Resolves when the browser has enabled them. */
  async watch(): Promise<void> {
    const { cdp } = this.visit;
    cdp.on('Page.frameScheduledNavigation', ({ frameId, reason, delay }) => {
      if (reason !== 'scriptInitiated' && delay === 0) this.start(frameId);
    });
    cdp.on('Page.frameRequestedNavigation', ({ frameId }) => {
      this.start(frameId);
    });
    cdp.on('Page.frameStartedNavigating', ({ frameId, navigationType }) => {
      if (navigationType === 'differentDocument') this.start(frameId);
    });
    cdp.on('Page.frameNavigated', ({ frame }) => {
      if (frame.id === this.mainFrame) this.end(frame.unreachableUrl);
    });
    // The page has not navigated: it was a download or a response without content.
    cdp.on('Page.frameStoppedLoading', ({ frameId }) => {
      if (frameId === this.mainFrame && this.isNavigating) this.end(undefined);
    });
    // Without a session, the capture fails elsewhere.
    await cdp.send('Page.enable').catch(() => undefined);
  }

  /**
   * Waits until a page that is navigating has arrived and loaded.
   *
   * @throws AppError `target_connection_failed` when the new address cannot be reached
   */
  async waitForNavigation(options: WaitingOptions): Promise<void> {
    await this.flushEvents();
    const wait = {
      until: performance.now() + waitBudgetMs(this.visit, options),
      message: 'The page navigated to another address that did not load in time.',
    };
    try {
      for (let count = 0; this.isNavigating && count < MAX_NAVIGATIONS; count += 1) {
        await withDeadline(wait, this.ended.promise);
        await poll(this.visit, wait, () => inPage(this.visit, isLoaded, options.wait_until));
        await this.flushEvents();
      }
    } catch (error) {
      if (!(error instanceof WaitTimeoutError)) throw error;
      onWaitTimeout(this.visit, options, error.message);
      // The current document cannot be drawn while the navigation is pending.
      await this.visit.cdp.send('Page.stopLoading');
      this.end(undefined);
    }
    await this.checkDestination(options);
  }

  /**
   * The result of `work`, which is repeated when the page navigates in the meantime. The signal of the visit that it gets aborts
   * then, so that it does not act on the new document as well.
   */
  async repeatOnNavigation<T>(
    options: WaitingOptions,
    work: (current: Visit, isAgain: boolean) => Promise<T>,
  ): Promise<T> {
    for (let count = 0; count < MAX_NAVIGATIONS; count += 1) {
      const superseded = new AbortController();
      const running = work(visitUntil(this.visit, superseded.signal), count > 0);
      // It may still fail after a navigation, when nothing awaits it any more.
      running.catch(() => undefined);
      try {
        const done = await Promise.race([running.then((value) => ({ value })), this.started.promise]);
        if (done) {
          await this.checkDestination(options);
          return done.value;
        }
      } catch (error) {
        if (!this.isNavigating) throw error;
      }
      superseded.abort();
      await this.waitForNavigation(options);
    }
    throw endlessNavigation();
  }

  /**
   * Looks at the page, after which a navigation that its load started has been reported. A busy page is not waited for.
   */
  private async flushEvents(): Promise<void> {
    const wait = { until: performance.now() + RESPONSE_MS, message: 'The page is busy.' };
    try {
      await withDeadline(wait, lookAtArrival(this.visit));
    } catch (error) {
      if (!(error instanceof WaitTimeoutError || error instanceof PageScriptError)) throw error;
    }
  }

  /** Fails when Chromium shows its own error page instead of an address that could not be reached. */
  private async checkDestination(options: WaitingOptions): Promise<void> {
    const error = unreachableError(this.visit, this.unreachable);
    if (error) throw error;
    await checkDocument(this.visit, options);
  }

  private start(frameId: string): void {
    if (frameId !== this.mainFrame || this.isNavigating) return;
    this.isNavigating = true;
    this.visit.arrival = undefined;
    this.unreachable = undefined;
    this.ended = Promise.withResolvers();
    this.started.resolve();
  }

  private end(unreachable: string | undefined): void {
    this.isNavigating = false;
    this.unreachable = unreachable;
    this.started = Promise.withResolvers();
    this.ended.resolve();
  }
}

/**
 * Fails when the document of the page has an invalid status or was cut off.
 *
 * A document that was cut off is not captured by default, because another attempt may load all of it. With
 * `on_timeout: 'capture'` it is captured as incomplete, unless it has no body: Chromium never draws a document without one.
 *
 * @throws Error with the name of a net error
 */
async function checkDocument(visit: Visit, options: WaitingOptions): Promise<void> {
  const { response, broken } = visit;
  if (!response) return;
  const status = response.status();
  if (status === PROXY_STATUS) throw new Error('net::ERR_PROXY_AUTH_REQUESTED');
  if (status < MIN_STATUS || status > MAX_STATUS) throw new Error('net::ERR_INVALID_HTTP_RESPONSE');
  if (broken?.response !== response) return;
  if (options.on_timeout === 'fail' || !(await inPage(visit, hasBody, null))) throw new Error(broken.reason);
  markIncomplete(visit.facts, 'document_cut_off');
}

/** Runs in the page. */
function hasBody(_: null, safe: SafeAccess): boolean {
  // The DOM types do not know that there may be none.
  const body = safe(document).body as HTMLElement | null;
  return body !== null && safe(body).hasChildNodes();
}
