import type { HTTPRequest, ResourceType } from 'puppeteer';

/** What a picture may show. Streams, beacons and media may never end. */
const SHOWN: ReadonlySet<ResourceType> = new Set([
  'document',
  'stylesheet',
  'image',
  'font',
  'script',
  'xhr',
  'fetch',
]);
const READ_BY_SCRIPTS: ReadonlySet<ResourceType> = new Set(['xhr', 'fetch']);
/** A request that begins this soon after an act counts as caused by it. */
const CAUSE_MS = 100;
/** Scripts get this long to react to an act or an answer: an observer is notified with the next frame, some 16 ms on. */
const REACTION_MS = 50;
/** A request from before the first act is awaited no longer than this: it may be a poll that is held open. */
const EARLIER_MS = 1_500;
/** A request whose answer has begun is awaited no longer than this: one that no script reads, or a stream, never ends. */
const ANSWER_MS = 500;
/** Addresses are only compared; a page can make them 2 MB long. */
const MAX_ADDRESS_LENGTH = 300;

/**
 * The requests that the acts of a capture (a click, a step down the page) set off in its page.
 *
 * A page that polls sends requests whatever is done to it. Therefore a request counts only if it begins right after an
 * act, or goes to an address that is new to the page.
 */
export class PageActivity {
  /** Whether anything was done to the page that may change what it loads. */
  hasActed = false;
  /** The requests under way, and until when each is awaited at most. */
  private readonly pending = new Map<HTTPRequest, number>();
  private readonly awaited = new Set<HTTPRequest>();
  private readonly addresses = new Set<string>();
  private causedUntil = 0;
  private reactingUntil = 0;

  begin(request: HTTPRequest): void {
    const url = request.url();
    if (!SHOWN.has(request.resourceType()) || !url.startsWith('http')) return;
    const address = url.split('?', 1)[0]?.slice(0, MAX_ADDRESS_LENGTH) ?? '';
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
   * To be called right before something is done to the page. What earlier acts set off is still awaited.
   *
   * @param reactionMs How long the page needs to begin requests, at least.
   */
  act(reactionMs = REACTION_MS): void {
    if (!this.hasActed) for (const request of this.pending.keys()) this.expireIn(request, EARLIER_MS);
    this.hasActed = true;
    this.causedUntil = performance.now() + CAUSE_MS;
    this.reactingUntil = performance.now() + reactionMs;
  }

  /** As `act`, for one of many: what the acts before it set off is not awaited until `awaitAll`. */
  actAgain(): void {
    this.awaited.clear();
    this.act();
  }

  /** Awaits all requests that are under way. */
  awaitAll(): void {
    for (const request of this.pending.keys()) this.awaited.add(request);
  }

  /** To be called when the page has gone to another address, whose load was awaited. */
  forget(): void {
    this.pending.clear();
    this.awaited.clear();
  }

  /** Whether the awaited requests have ended, and scripts have had the time to react. */
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
