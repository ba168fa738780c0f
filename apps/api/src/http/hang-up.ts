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
