import type { Readable, Writable } from 'node:stream';
import type { ConnectionTransport } from 'puppeteer';
import { AppError } from '@app/kernel';

const END = '\0';

/** The limits of what a browser may send. */
export interface TransportLimits {
  /** The size of one message. */
  readonly messageBytes: number;
  /** The size of all events of one capture. */
  readonly eventBytes: number;
}

const MB = 1024 * 1024;

const LIMITS: TransportLimits = {
  /** The largest reply contains a picture of 96 MB in base64. Node's limit of a string is 512 MB. */
  messageBytes: 128 * MB,
  /**
   * A busy page causes 1 to 3 MB of events. Events also contain data URLs, dialogs and titles, so that a page controls their
   * size, and each byte is parsed here.
   */
  eventBytes: 64 * MB,
};

/**
 * Commands of Puppeteer that enable unused events whose size the page controls: console messages, exceptions, logs, tools.
 * They are answered here and never sent to the browser, which also saves time.
 */
const SILENCED = ['Runtime.enable', 'Log.enable', 'Performance.enable', 'WebMCP.enable'];
const SILENCED_COMMAND = new RegExp(`^\\{"method":"(?:${SILENCED.join('|').replaceAll('.', '\\.')})"`);
const RUNTIME_COMMAND = '{"method":"Runtime.enable"';
/** Only captures, which read metrics but no events, send this parameter; Puppeteer does not. */
const METRICS_COMMAND = '{"method":"Performance.enable","params":{"timeDomain"';

/** With Puppeteer's parameters the events of requests would contain everything that a page posts. 0 means no limit. */
const NETWORK_COMMAND = '{"method":"Network.enable"';
const MAX_POST_DATA_BYTES = 1;

/** Unused events of enabled domains, such as the payload of each WebSocket message. */
const UNREAD = [
  'Network.webSocketFrame',
  'Network.eventSourceMessage',
  'Network.webTransport',
  'Network.directTCP',
  'Network.directUDP',
  'Runtime.console',
  'Runtime.exception',
  'Performance.metrics',
];
const UNREAD_EVENT = new RegExp(`^\\{"method":"(?:${UNREAD.join('|').replaceAll('.', '\\.')})`);
const EVENT = /^\{"method":/;
/** Longer than the name of any event. */
const NAME_BYTES = 80;

export interface TransportListeners {
  /** Called with each message of the browser before Puppeteer gets it. */
  onMessage(message: string): void;
  /**
   * Called once, after which no further message is read: with `resource_limit` when the browser sent too much, or with
   * `browser_crashed` when it sent a message that Puppeteer cannot handle.
   */
  refuse(reason: AppError): void;
}

const NO_LISTENERS: TransportListeners = { onMessage: () => undefined, refuse: () => undefined };

/**
 * Carries the DevTools protocol over Chromium's two pipes: JSON messages, each terminated by a zero byte.
 *
 * Pages control much of what their browser sends, so the transport limits it and never throws.
 */
export class PipeTransport implements ConnectionTransport {
  onmessage?: (message: string) => void;
  onclose?: () => void;
  /** The time of the last message of the browser, by `performance.now()`. */
  lastMessageAt = 0;
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  private eventBytes = 0;
  private refused = false;
  private reportsContexts = false;

  constructor(
    private readonly toBrowser: Writable,
    private readonly fromBrowser: Readable,
    private readonly listeners: TransportListeners = NO_LISTENERS,
    private readonly limits = LIMITS,
  ) {
    fromBrowser.on('data', (chunk: Buffer) => this.receive(chunk));
    fromBrowser.on('close', () => this.onclose?.());
    // A browser that dies breaks both pipes; `close` above reports it.
    fromBrowser.on('error', () => undefined);
    toBrowser.on('error', () => undefined);
  }

  send(message: string): void {
    if (this.isSilenced(message)) this.answer(message);
    else this.write(message.startsWith(NETWORK_COMMAND) ? withoutPostData(message) : message);
  }

  close(): void {
    this.toBrowser.destroy();
    this.fromBrowser.destroy();
  }

  /** To be called between two captures: resets the size of events, and stops the reports of execution contexts. */
  reset(): void {
    this.eventBytes = 0;
    this.reportsContexts = false;
  }

  /** Lets Puppeteer enable the Runtime domain of sessions from now on, so that their execution contexts are reported. */
  reportContexts(): void {
    this.reportsContexts = true;
  }

  private isSilenced(command: string): boolean {
    if (!SILENCED_COMMAND.test(command) || command.startsWith(METRICS_COMMAND)) return false;
    return !(this.reportsContexts && command.startsWith(RUNTIME_COMMAND));
  }

  private answer(command: string): void {
    const { id, sessionId } = JSON.parse(command) as { id: number; sessionId?: string };
    this.deliver(JSON.stringify({ id, sessionId, result: {} }));
  }

  /** What is sent at once is written at once: each write wakes the browser. */
  private write(message: string): void {
    if (this.toBrowser.writableCorked === 0) {
      this.toBrowser.cork();
      process.nextTick(() => {
        this.toBrowser.uncork();
      });
    }
    this.toBrowser.write(message + END);
  }

  private receive(chunk: Buffer): void {
    this.lastMessageAt = performance.now();
    if (this.refused) return;
    let start = 0;
    for (let end = chunk.indexOf(END); end !== -1; end = chunk.indexOf(END, start)) {
      if (!this.buffer(chunk.subarray(start, end))) return;
      this.finishMessage();
      start = end + 1;
    }
    if (start < chunk.length) this.buffer(chunk.subarray(start));
  }

  /** Collects the chunks of a message, of which a picture has hundreds, to join them once. False when they are too large. */
  private buffer(part: Buffer): boolean {
    this.pending.push(part);
    this.pendingBytes += part.length;
    const { messageBytes } = this.limits;
    if (this.pendingBytes <= messageBytes) return true;
    this.refuse(tooMuch(`a message of more than ${messageBytes} bytes`));
    return false;
  }

  private finishMessage(): void {
    const { pending, pendingBytes } = this;
    this.dropPending();
    // Only the name of a dropped event is read, whatever its size.
    const start = Buffer.concat(pending, Math.min(pendingBytes, NAME_BYTES)).toString('latin1');
    if (UNREAD_EVENT.test(start)) return;
    if (EVENT.test(start)) {
      this.eventBytes += pendingBytes;
      const { eventBytes } = this.limits;
      if (this.eventBytes > eventBytes) {
        return this.refuse(tooMuch(`events of more than ${eventBytes} bytes`));
      }
    }
    this.deliver(Buffer.concat(pending, pendingBytes).toString());
  }

  /** Deferred, so that an error of a listener does not lose the messages after this one. */
  private deliver(message: string): void {
    setImmediate(() => void this.notify(message));
  }

  /** Handles errors of the listeners: an unhandled rejection would end the worker. */
  private async notify(message: string): Promise<void> {
    try {
      this.listeners.onMessage(message);
      // Puppeteer's listener is asynchronous, although its type does not say so.
      const handling: unknown = this.onmessage?.(message);
      await handling;
    } catch (cause) {
      const detail = 'The browser sent a message that could not be handled.';
      this.refuse(new AppError('browser_crashed', { detail, cause }));
    }
  }

  private dropPending(): void {
    this.pending = [];
    this.pendingBytes = 0;
  }

  private refuse(reason: AppError): void {
    if (this.refused) return;
    this.refused = true;
    this.dropPending();
    this.fromBrowser.pause();
    this.listeners.refuse(reason);
  }
}

function withoutPostData(command: string): string {
  const { params, ...rest } = JSON.parse(command) as { params?: object };
  return JSON.stringify({ ...rest, params: { ...params, maxPostDataSize: MAX_POST_DATA_BYTES } });
}

function tooMuch(what: string): AppError {
  return new AppError('resource_limit', { detail: `The page made the browser send ${what} to the service.` });
}
