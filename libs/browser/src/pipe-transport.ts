import type { Readable, Writable } from 'node:stream';
import type { ConnectionTransport } from 'puppeteer';
import { AppError } from '@app/kernel';

const END = '\0';

/** What a browser may say. */
export interface TransportLimits {
  /** In one message. */
  readonly messageBytes: number;
  /** In the events of one capture. */
  readonly eventBytes: number;
}

const MB = 1024 * 1024;

const LIMITS: TransportLimits = {
  /** A reply holds a file at most: a picture of 96 MB in base64. Node cannot hold a text of more than 512 MB at all. */
  messageBytes: 128 * MB,
  /**
   * A busy page causes 1 to 3 MB of events. The content of data URLs, dialogs and titles comes in events too, so that a
   * page decides how much there is, and each byte is parsed here.
   */
  eventBytes: 64 * MB,
};

/**
 * Commands of Puppeteer that switch on events which nothing here listens to, and whose size the page decides: console
 * messages, exceptions, logs, tools. They are answered here and never reach the browser, which also saves their time.
 */
const SILENCED = ['Runtime.enable', 'Log.enable', 'Performance.enable', 'WebMCP.enable'];
const SILENCED_COMMAND = new RegExp(`^\\{"method":"(?:${SILENCED.join('|').replaceAll('.', '\\.')})"`);
const RUNTIME_COMMAND = '{"method":"Runtime.enable"';
/** Puppeteer sends it without this parameter. With it the command is a capture's, which reads metrics, but no event. */
const METRICS_COMMAND = '{"method":"Performance.enable","params":{"timeDomain"';

/** Switched on as Puppeteer does it, events of requests hold all that a page posts. 0 would mean that there is no limit. */
const NETWORK_COMMAND = '{"method":"Network.enable"';
const MAX_POST_DATA_BYTES = 1;

/** Events that come with domains that are on, although nothing reads them: the payload of each WebSocket message is one. */
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
/** More than any name of an event has. */
const NAME_BYTES = 80;

export interface TransportListeners {
  /** Sees each message of the browser before Puppeteer does. */
  overhear(message: string): void;
  /**
   * Called once, when no further message is read: with `resource_limit` for a browser that said too much, with
   * `browser_crashed` for one that said what Puppeteer cannot take.
   */
  refuse(reason: AppError): void;
}

const NO_LISTENERS: TransportListeners = { overhear: () => undefined, refuse: () => undefined };

/**
 * Carries the DevTools protocol over Chromium's two pipes: JSON messages, each ended by a zero byte.
 *
 * A page decides much of what its browser says, so the transport bounds it and never throws.
 */
export class PipeTransport implements ConnectionTransport {
  onmessage?: (message: string) => void;
  onclose?: () => void;
  /** When the browser last said anything, by `performance.now()`. */
  heardAt = 0;
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
    else
      this.toBrowser.write((message.startsWith(NETWORK_COMMAND) ? withoutPostData(message) : message) + END);
  }

  close(): void {
    this.toBrowser.destroy();
    this.fromBrowser.destroy();
  }

  /** Between two captures: the bytes of events are counted from 0, and execution contexts are not reported. */
  startAnew(): void {
    this.eventBytes = 0;
    this.reportsContexts = false;
  }

  /** Lets Puppeteer switch on the Runtime domain of sessions from now on: their execution contexts are reported. */
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

  private receive(chunk: Buffer): void {
    this.heardAt = performance.now();
    if (this.refused) return;
    let start = 0;
    for (let end = chunk.indexOf(END); end !== -1; end = chunk.indexOf(END, start)) {
      if (!this.keep(chunk.subarray(start, end))) return;
      this.finishMessage();
      start = end + 1;
    }
    if (start < chunk.length) this.keep(chunk.subarray(start));
  }

  /** A picture comes in hundreds of chunks: they are joined once, when the message ends. False when they are too many. */
  private keep(part: Buffer): boolean {
    this.pending.push(part);
    this.pendingBytes += part.length;
    const { messageBytes } = this.limits;
    if (this.pendingBytes <= messageBytes) return true;
    this.refuse(tooMuch(`a message of more than ${messageBytes} bytes`));
    return false;
  }

  private finishMessage(): void {
    const { pending, pendingBytes } = this;
    this.forgetPending();
    // Only the name is read of an event that is dropped, whatever the page has put into it.
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

  /** In a turn of its own: an error thrown by a listener must not lose the messages behind it. */
  private deliver(message: string): void {
    setImmediate(() => void this.handOver(message));
  }

  /** What a listener throws ends here: a rejection that nobody handles would end the worker. */
  private async handOver(message: string): Promise<void> {
    try {
      this.listeners.overhear(message);
      // Puppeteer's listener is asynchronous, although its type does not say so.
      const taken: unknown = this.onmessage?.(message);
      await taken;
    } catch (cause) {
      const detail = 'The browser sent a message that could not be handled.';
      this.refuse(new AppError('browser_crashed', { detail, cause }));
    }
  }

  private forgetPending(): void {
    this.pending = [];
    this.pendingBytes = 0;
  }

  private refuse(reason: AppError): void {
    if (this.refused) return;
    this.refused = true;
    this.forgetPending();
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
