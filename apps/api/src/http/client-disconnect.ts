import type { Response } from 'express';

/** Aborts when the caller disconnects before the response is written. */
export function disconnectOf(response: Response): AbortSignal {
  const controller = new AbortController();
  const check = (): void => {
    if (!response.writableFinished) controller.abort();
  };
  if (response.destroyed || response.req.socket.destroyed) check();
  else response.once('close', check);
  return controller.signal;
}

/** Waits for a response to be written; a caller who disconnects midway is not an error. */
export async function ignoringDisconnect(writing: Promise<void>): Promise<void> {
  try {
    await writing;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

/** Aborts when the caller disconnects or `closing` aborts, whichever is first: a response that waits ends then. */
export function endOf(response: Response, closing: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const end = (): void => {
    controller.abort();
  };
  const disconnect = disconnectOf(response);
  if (disconnect.aborted || closing.aborted) end();
  disconnect.addEventListener('abort', end);
  closing.addEventListener('abort', end);
  // `closing` outlives all requests and must not keep a listener of each.
  response.once('close', () => {
    closing.removeEventListener('abort', end);
  });
  return controller.signal;
}
