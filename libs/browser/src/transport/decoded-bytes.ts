import type { Protocol } from 'puppeteer';

const DATA_RECEIVED = '{"method":"Network.dataReceived"';

/**
 * Counts the bytes that the pages of a browser load, after decompression: a small response may unpack to gigabytes, which a
 * limit of the network traffic does not detect.
 *
 * It reads the messages of the browser to Puppeteer. A session of its own would double these messages, and would receive none
 * of frames in other processes or of workers. (A second session that enables the Network domain makes every byte count
 * twice.)
 */
export class DecodedBytes {
  private count = 0;
  private max = Infinity;
  private exceeded = Promise.withResolvers<void>();

  /** Reads a message of the browser. */
  read(message: string): void {
    if (!message.startsWith(DATA_RECEIVED)) return;
    const { params } = JSON.parse(message) as { params: Protocol.Network.DataReceivedEvent };
    this.count += params.dataLength;
    if (this.count > this.max) this.exceeded.resolve();
  }

  /** Counts from 0, and resolves once more than `max` bytes have arrived. */
  watch(max: number): Promise<void> {
    this.count = 0;
    this.max = max;
    this.exceeded = Promise.withResolvers();
    return this.exceeded.promise;
  }
}
