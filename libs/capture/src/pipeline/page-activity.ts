import type { HTTPRequest, ResourceType } from 'puppeteer';
import { DRAWN } from './open-requests.js';

const READ_BY_SCRIPTS: ReadonlySet<ResourceType> = new Set(['xhr', 'fetch']);
/** A request that starts this soon after an action counts as caused by it. */
const CAUSE_MS = 100;
/** Time for scripts to react to an action or a response: an observer is notified with the next frame, after about 16 ms. */
const REACTION_MS = 50;
/** A request that started before the first action is awaited no longer than this: it may be a long poll. */
const EARLIER_MS = 1_500;
/** A request whose response has begun is awaited no longer than this: a stream, or one that no script reads, never ends. */
const ANSWER_MS = 500;
/** URLs are only compared, and a page can make them 2 MB long. */
const MAX_URL_LENGTH = 300;

/**
 * Tracks the requests that actions of the capture (a click, a scroll step) cause in its page.
 *
 * A page that polls sends requests by itself. Therefore a request counts only when it starts right after an action, or goes
 * to a URL that is new to the page.
 */
export class PageActivity {
  /** Whether an action has been performed on the page. */
  hasActed = false;
  /** Requests in flight, and until when each is awaited at most. */
  private readonly pending = new Map<HTTPRequest, number>();
  private readonly awaited = new Set<HTTPRequest>();
  private readonly addresses = new Set<string>();
  private causedUntil = 0;
  private reactingUntil = 0;

  begin(request: HTTPRequest): void {
    const url = request.url();
    if (!DRAWN.has(request.resourceType()) || !url.startsWith('http')) return;
    const address = url.split('?', 1)[0]?.slice(0, MAX_URL_LENGTH) ?? '';
    const isNew = !this.addresses.has(address);
    this.addresses.add(address);
    this.pending.set(request, Infinity);
    const isCaused = this.hasActed && (isNew || performance.now() < this.causedUntil);
    if (isCaused) this.awaited.add(request);
  }

  end(request: HTTPRequest): void {
    this.pending.delete(request);
    if (this.awaited.delete(request)) this.reactingUntil = performance.now() + REACTION_MS;
  }

  answer(request: HTTPRequest): void {
    const isRead = READ_BY_SCRIPTS.has(request.resourceType());
    if (isRead && this.pending.has(request)) this.expireIn(request, ANSWER_MS);
  }

  /**
   * Call right before an action. The requests of earlier actions are still awaited.
   *
   * @param reactionMs minimum time that the page needs to start requests
   */
  act(reactionMs = REACTION_MS): void {
    if (!this.hasActed) for (const request of this.pending.keys()) this.expireIn(request, EARLIER_MS);
    this.hasActed = true;
    this.causedUntil = performance.now() + CAUSE_MS;
    this.reactingUntil = performance.now() + reactionMs;
  }

  /** As `act`, for one of many actions: the requests of earlier ones are not awaited until `awaitAll`. */
  actAgain(): void {
    this.awaited.clear();
    this.act();
  }

  /** Awaits all requests in flight. */
  awaitAll(): void {
    for (const request of this.pending.keys()) this.awaited.add(request);
  }

  /** Call when the page has navigated and the new document has loaded. */
  forget(): void {
    this.pending.clear();
    this.awaited.clear();
  }

  /** Whether the awaited requests have ended and scripts have had time to react. */
  isOver(): boolean {
    const now = performance.now();
    return (
      now >= this.reactingUntil && [...this.awaited].every((each) => (this.pending.get(each) ?? 0) < now)
    );
  }

  private expireIn(request: HTTPRequest, ms: number): void {
    const until = this.pending.get(request) ?? 0;
    this.pending.set(request, Math.min(until, performance.now() + ms));
  }
}
