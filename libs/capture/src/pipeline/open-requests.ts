import type { HTTPRequest, Page, ResourceType } from 'puppeteer';
import type { ReadinessReport } from '../record/readiness.js';
import { OpenStreams } from './open-streams.js';

/** What a page may draw, or fetch in order to draw. Pings, streams, sockets and media never end, or change nothing. */
export const DRAWN: ReadonlySet<ResourceType> = new Set([
  'document',
  'stylesheet',
  'image',
  'font',
  'script',
  'xhr',
  'fetch',
]);
/** A request that is under way for longer hangs, or is a long poll: the page looks as it looks without its response. */
const HANGS_MS = 3_000;
/** A page that asks one address this often over this time polls it. An app that starts asks it often at once: a burst. */
const POLLS = 3;
const POLLS_MS = 1_500;
const BURST_MS = 250;
/** Requests of embedded frames that may be under way: advertisements in them go on loading. */
const MAX_OF_FRAMES = 2;
/** The egress proxy serves fewer requests; what a page asks for beyond them is new to us, and hangs sooner or later. */
const MAX_ADDRESSES = 2_000;
const MAX_ADDRESS_LENGTH = 300;
const MAX_REPORTED = 20;
/** Number of ends that are kept, to explain what the page adds after them. */
const MAX_ENDS = 50;
/** Scripts draw what a request has brought within this time, also on a busy machine. */
const DRAWN_MS = 300;
/** The maximum length of a DNS name. */
const MAX_HOST_LENGTH = 253;

interface Address {
  readonly firstAt: number;
  burstAt: number;
  bursts: number;
}

interface OpenRequest {
  readonly since: number;
  /** Undefined for more addresses than are kept. */
  readonly address: Address | undefined;
}

/** The requests that a page and its frames, in other processes too, have under way. Times are in the clock of `performance.now()`. */
export class OpenRequests {
  private readonly open = new Map<HTTPRequest, OpenRequest>();
  private readonly addresses = new Map<string, Address>();
  readonly streams = new OpenStreams();
  /** When a request of the page itself last began or ended; polls do not count. */
  changedAt = -Infinity;
  private ends: number[] = [];

  constructor(private readonly page: Page) {}

  begin(request: HTTPRequest): void {
    this.streams.begin(request);
    if (!DRAWN.has(request.resourceType()) || !request.url().startsWith('http')) return;
    const since = performance.now();
    const opened = { since, address: this.count(request, since) };
    this.open.set(request, opened);
    if (this.isOfPage(request) && !isPolled(opened, since)) this.changedAt = since;
  }

  end(request: HTTPRequest): void {
    this.streams.end(request);
    const opened = this.open.get(request);
    if (!opened) return;
    this.open.delete(request);
    const now = performance.now();
    if (!this.isOfPage(request) || isPolled(opened, now)) return;
    this.changedAt = now;
    this.ends = [...this.ends.slice(1 - MAX_ENDS), now];
  }

  /** Whether what the page did at this time may be what it did with a response. */
  explain(at: number): boolean {
    return this.ends.some((end) => at >= end - DRAWN_MS / 6 && at < end + DRAWN_MS);
  }

  /** Whether something that is under way may still change how the page looks. */
  areAwaited(): boolean {
    const now = performance.now();
    let ofFrames = 0;
    for (const [request, opened] of this.open) {
      if (now - opened.since > HANGS_MS || isPolled(opened, now)) continue;
      if (this.isOfPage(request)) return true;
      ofFrames += 1;
    }
    return ofFrames > MAX_OF_FRAMES;
  }

  report(): ReadinessReport['pending'] {
    return [...this.open.keys()].slice(0, MAX_REPORTED).map((request) => ({
      host: (URL.parse(request.url())?.host ?? '').slice(0, MAX_HOST_LENGTH),
      type: request.resourceType(),
    }));
  }

  private count(request: HTTPRequest, now: number): Address | undefined {
    const key = addressOf(request);
    const known = this.addresses.get(key);
    if (known && now - known.burstAt > BURST_MS) {
      known.burstAt = now;
      known.bursts += 1;
    }
    if (known || this.addresses.size >= MAX_ADDRESSES) return known;
    const address = { firstAt: now, burstAt: now, bursts: 1 };
    this.addresses.set(key, address);
    return address;
  }

  /** The document of a frame is part of the page that embeds it. */
  private isOfPage(request: HTTPRequest): boolean {
    return request.isNavigationRequest() || request.frame() === this.page.mainFrame();
  }
}

function isPolled({ address }: OpenRequest, now: number): boolean {
  return address !== undefined && address.bursts >= POLLS && now - address.firstAt > POLLS_MS;
}

/** Addresses that differ in their query or in numbers alone are one: polls often count. */
function addressOf(request: HTTPRequest): string {
  const [path = ''] = request.url().slice(0, MAX_ADDRESS_LENGTH).split('?', 1);
  return `${request.resourceType()} ${path.replaceAll(/\d+/g, '#')}`;
}
