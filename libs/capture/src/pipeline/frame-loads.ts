import type { Frame, HTTPRequest, HTTPResponse } from 'puppeteer';

/** A page with more frames and blocked requests is hostile; the others count as loaded. */
const MAX_ADDRESSES = 500;
/** What the browser shows in place of a document that did not load, or that may not be embedded. */
const ERROR_PAGE = 'chrome-error:';

/** What the network says about the frames of a page, by the address that the page gave them, and what options blocked. */
export class FrameLoads {
  private readonly states = new Map<string, 'pending' | 'loaded' | 'failed'>();
  private readonly blocked = new Set<string>();
  private readonly latest = new WeakMap<Frame, HTTPRequest>();
  /** Requests in whose place their frames show an error page. Puppeteer may report their responses after that. */
  private readonly refused = new WeakSet<HTTPRequest>();

  begin(request: HTTPRequest): void {
    const address = addressOf(request);
    if (this.states.has(address) || this.states.size < MAX_ADDRESSES) this.states.set(address, 'pending');
    const frame = request.frame();
    if (frame) this.latest.set(frame, request);
  }

  /**
   * Notes that the frame has another document. Chromium's error page is what a person sees, so it counts whatever the events of
   * the network say: a document that may not be embedded is answered with 200 before it fails.
   */
  navigate(frame: Frame): void {
    const request = this.latest.get(frame);
    if (!request || !frame.url().startsWith(ERROR_PAGE)) return;
    this.end(request, 'failed');
    this.refused.add(request);
  }

  answer(response: HTTPResponse): void {
    const status = response.status();
    if (status >= 300 && status < 400) return;
    this.end(response.request(), status >= 400 ? 'failed' : 'loaded');
  }

  end(request: HTTPRequest, state: 'loaded' | 'failed'): void {
    const address = addressOf(request);
    if (this.states.has(address) && !this.refused.has(request)) this.states.set(address, state);
  }

  /** An option blocked the request of a frame or a picture: nobody misses it. */
  block(request: HTTPRequest): void {
    if (this.blocked.size < MAX_ADDRESSES) this.blocked.add(addressOf(request));
  }

  isBlocked(url: string): boolean {
    return this.blocked.has(withoutHash(url));
  }

  /** Undefined when the page has not asked for it. */
  stateOf(url: string): 'pending' | 'loaded' | 'failed' | undefined {
    return this.states.get(withoutHash(url));
  }
}

function addressOf(request: HTTPRequest): string {
  return withoutHash((request.redirectChain()[0] ?? request).url());
}

function withoutHash(url: string): string {
  return url.split('#', 1)[0] ?? url;
}
