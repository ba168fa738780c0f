import type { Protocol } from 'puppeteer';

const DATA_RECEIVED = '{"method":"Network.dataReceived"';

/**
 * Counts the bytes that the pages of a browser load, after decompression: a small answer may unpack to gigabytes, which
 * no limit on the wire sees.
 *
 * It reads what the browser tells Puppeteer anyway, before Puppeteer does. A session of our own would double all those
 * messages, and would hear neither of frames in other processes nor of workers. (A session that enables the Network
 * domain besides Puppeteer's makes every byte count twice.)
 */
export class DecodedBytes {
  private count = 0;
  private max = Infinity;
  private passed = Promise.withResolvers<void>();

  /** Takes a message of the browser. */
  read(message: string): void {
    if (!message.startsWith(DATA_RECEIVED)) return;
    const { params } = JSON.parse(message) as { params: Protocol.Network.DataReceivedEvent };
    this.count += params.dataLength;
    if (this.count > this.max) this.passed.resolve();
  }

  /** Counts from 0; resolves when more than `max` have come, if ever. */
  moreThan(max: number): Promise<void> {
    this.count = 0;
    this.max = max;
    this.passed = Promise.withResolvers();
    return this.passed.promise;
  }
}
