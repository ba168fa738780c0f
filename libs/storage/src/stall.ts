import type { IncomingMessage } from 'node:http';
import { AppError } from '@app/kernel';

/** The store sent part of a file and then nothing. */
class StalledFileError extends Error {
  override readonly name = 'StalledFileError';
}

/**
 * Destroys a response body that receives nothing while its reader waits: a store that hangs in the middle of a file would
 * block the reader, and hold its own connection, without end. A slow reader is not affected, because it leaves bytes
 * unread; a timeout of the socket could not distinguish the two. The reader must be waiting at two checks in a row: one
 * that has just resumed reading has had no time to receive anything.
 */
export function failWhenStalled(body: IncomingMessage, stallMs: number): IncomingMessage {
  let receivedAtLastCheck: number | undefined;
  const timer = setInterval(() => {
    const { bytesRead } = body.socket;
    const isReaderWaiting = body.readableLength === 0 && !body.complete;
    if (isReaderWaiting && bytesRead === receivedAtLastCheck) {
      body.destroy(
        new AppError('storage_unavailable', { cause: new StalledFileError(`${bytesRead} bytes`) }),
      );
    }
    receivedAtLastCheck = isReaderWaiting ? bytesRead : undefined;
  }, stallMs);
  body.once('close', () => {
    clearInterval(timer);
  });
  return body;
}
