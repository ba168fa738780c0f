import type { Readable, Writable } from 'node:stream';
import type { ConnectionTransport } from 'puppeteer';

const END = '\0';

/** Carries the DevTools protocol over Chromium's two pipes: JSON messages, each ended by a zero byte. */
export class PipeTransport implements ConnectionTransport {
  onmessage?: (message: string) => void;
  onclose?: () => void;
  private pending: Buffer[] = [];

  constructor(
    private readonly toBrowser: Writable,
    private readonly fromBrowser: Readable,
    /** Sees each message of the browser before Puppeteer does. */
    private readonly overhear: (message: string) => void = () => undefined,
  ) {
    fromBrowser.on('data', (chunk: Buffer) => this.receive(chunk));
    fromBrowser.on('close', () => this.onclose?.());
    // A browser that dies breaks both pipes; `close` above is what tells of it.
    fromBrowser.on('error', () => undefined);
    toBrowser.on('error', () => undefined);
  }

  send(message: string): void {
    this.toBrowser.write(message + END);
  }

  close(): void {
    this.toBrowser.destroy();
    this.fromBrowser.destroy();
  }

  /** A picture comes in hundreds of chunks: they are joined once, when the message ends. */
  private receive(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(END); end !== -1; end = chunk.indexOf(END, start)) {
      this.pending.push(chunk.subarray(start, end));
      const message = Buffer.concat(this.pending).toString();
      this.pending = [];
      // In a turn of its own: an error thrown by a listener must not lose the messages behind it.
      setImmediate(() => {
        this.overhear(message);
        this.onmessage?.(message);
      });
      start = end + 1;
    }
    if (start < chunk.length) this.pending.push(chunk.subarray(start));
  }
}
