import type { Socket } from 'node:net';
import type { Request, Response } from 'express';

/** More than twice the largest body that any route takes. */
const MAX_BYTES = 33_554_432;
/** For all of the rest, and between two pieces of it. */
const MAX_MS = 30_000;
const MAX_PAUSE_MS = 2_000;

/**
 * Ends the connection after the answer, for a body that is not read to its end.
 *
 * A connection that is closed with bytes unread is reset, and a reset takes the answer back: a client that is still
 * sending would see a broken pipe in place of it. So only our side is closed, and what still comes in is thrown away,
 * within bounds.
 */
export function closeUnlessRead(request: Request, response: Response): void {
  if (request.complete || response.headersSent) return;
  response.setHeader('Connection', 'close');
  const { socket } = request;
  // Node calls it once the answer is written.
  socket.destroySoon = () => {
    socket.end();
    discardRest(request, socket);
  };
}

function discardRest(request: Request, socket: Socket): void {
  const limit = socket.bytesRead + MAX_BYTES;
  const end = (): void => {
    socket.destroy();
  };
  const timer = setTimeout(end, MAX_MS);
  socket.setTimeout(MAX_PAUSE_MS, end);
  socket.once('close', () => {
    clearTimeout(timer);
  });
  request.unpipe();
  request
    .on('data', () => {
      if (socket.bytesRead > limit) end();
    })
    .once('end', end)
    .once('error', end)
    .resume();
}
