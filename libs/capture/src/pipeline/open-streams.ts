import type { CDPSession, HTTPRequest } from 'puppeteer';
import { idOf } from './request-origins.js';

/** A stream that has brought nothing for longer is that of a chat, of presence or of a development server. */
const SILENT_MS = 2_000;
/** A server may greet before it sends anything. So many messages may be greetings, each followed by more within this time. */
const GREETINGS = 2;
const GREETING_MS = 250;
/** A page with more of them at once is hostile. */
const MAX_STREAMS = 100;

interface Stream {
  readonly openedAt: number;
  messages: number;
  messageAt: number;
}

/**
 * The WebSockets and event streams that a page has open. It listens to what Puppeteer's session reports in any case, so that a
 * page without any costs nothing.
 */
export class OpenStreams {
  private readonly streams = new Map<string, Stream>();

  private isFollowing = false;

  begin(request: HTTPRequest): void {
    if (!this.isFollowing) this.follow(request.client);
    if (request.resourceType() === 'eventsource') this.open(idOf(request));
  }

  end(request: HTTPRequest): void {
    this.streams.delete(idOf(request));
  }

  /** Whether a stream has brought nothing so far, or no more than a greeting just now. */
  areAwaited(): boolean {
    const now = performance.now();
    return [...this.streams.values()].some(({ openedAt, messages, messageAt }) =>
      messages === 0 ? now - openedAt < SILENT_MS : messages <= GREETINGS && now - messageAt < GREETING_MS,
    );
  }

  private follow(client: CDPSession): void {
    this.isFollowing = true;
    client.on('Network.webSocketCreated', ({ requestId }) => this.open(requestId));
    client.on('Network.webSocketFrameReceived', ({ requestId }) => this.receive(requestId));
    client.on('Network.webSocketClosed', ({ requestId }) => this.streams.delete(requestId));
    client.on('Network.eventSourceMessageReceived', ({ requestId }) => this.receive(requestId));
  }

  private open(id: string): void {
    if (this.streams.size >= MAX_STREAMS) return;
    this.streams.set(id, { openedAt: performance.now(), messages: 0, messageAt: -Infinity });
  }

  private receive(id: string): void {
    const stream = this.streams.get(id);
    if (!stream) return;
    stream.messages += 1;
    stream.messageAt = performance.now();
  }
}
