import type { IncomingMessage } from 'node:http';
import { AppError } from '@app/kernel';

/** The store sent part of a file and then nothing. */
class StalledFile extends Error {
  override readonly name = 'StalledFile';
}

/**
 * Destroys the body of an answer that brings nothing although its reader waits: a store that hangs in the middle of a
 * file would hold the reader, and its own connection, for ever. A reader that is slow itself is left alone, for then
 * there are bytes that it has not taken; a timeout of the socket would not tell the two apart. Only a reader that
 * waited at two looks in a row counts: one that has just come back has had no time to be served.
 */
export function failWhenStalled(body: IncomingMessage, stallMs: number): IncomingMessage {
  let receivedWhenItWaited: number | undefined;
  const timer = setInterval(() => {
    const { bytesRead } = body.socket;
    const readerWaits = body.readableLength === 0 && !body.complete;
    if (readerWaits && bytesRead === receivedWhenItWaited) {
      body.destroy(new AppError('storage_unavailable', { cause: new StalledFile(`${bytesRead} bytes`) }));
    }
    receivedWhenItWaited = readerWaits ? bytesRead : undefined;
  }, stallMs);
  body.once('close', () => {
    clearInterval(timer);
  });
  return body;
}
