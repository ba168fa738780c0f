import type { Response } from 'express';

/** Aborts when the caller hangs up before the response is written. */
export function hangUpOf(response: Response): AbortSignal {
  const controller = new AbortController();
  const check = (): void => {
    if (!response.writableFinished) controller.abort();
  };
  if (response.destroyed || response.req.socket.destroyed) check();
  else response.once('close', check);
  return controller.signal;
}

/** Waits for an answer to be written; a caller who hangs up half way is no fault of ours. */
export async function unlessHungUp(writing: Promise<void>): Promise<void> {
  try {
    await writing;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

/** Aborts when the caller hangs up or, before that, when `closing` does; what only waits is over then. */
export function endOf(response: Response, closing: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const end = (): void => {
    controller.abort();
  };
  const hangUp = hangUpOf(response);
  if (hangUp.aborted || closing.aborted) end();
  hangUp.addEventListener('abort', end);
  closing.addEventListener('abort', end);
  // The one outlives all requests: it must not keep a listener of each.
  response.once('close', () => {
    closing.removeEventListener('abort', end);
  });
  return controller.signal;
}
