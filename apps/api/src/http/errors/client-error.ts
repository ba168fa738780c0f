import type { Socket } from 'node:net';
import { STATUS_CODES, type ServerResponse } from 'node:http';
import { AppError, newId } from '@app/kernel';
import { problemHeaders, toProblem } from './problem.js';

/** Time for the client to read the response: closing at once, with unread bytes, would reset the connection and lose it. */
const LINGER_MS = 1_000;

/** Node keeps the response that is being written on the socket, for its own handling of these errors. */
type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse | null };

/**
 * Handles Node's `clientError`: answers bytes that are not an HTTP request with a problem document, and closes the
 * connection, because the start of the next request is unknown.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: HttpSocket): void {
  // Already answered: the client goes on sending, and each chunk is another error.
  if (socket.writableEnded && !socket.destroyed) return;
  // A client would take the error for a part of a response that has begun.
  const hasBegun = socket._httpMessage?.headersSent === true;
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegun) {
    socket.destroy();
    return;
  }
  socket.end(rawResponse(toAppError(error)));
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => {
    clearTimeout(linger);
  });
}

function rawResponse(error: AppError): string {
  const requestId = newId();
  const body = JSON.stringify(toProblem(error, requestId));
  const headers = {
    ...problemHeaders(error),
    'X-Request-Id': requestId,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const status = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`;
  return `${[status, ...lines].join('\r\n')}\r\n\r\n${body}`;
}

function toAppError({ code }: NodeJS.ErrnoException): AppError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('request_timeout');
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new AppError('headers_too_large', { detail: 'The headers may be at most 16 kB long.' });
  }
  return new AppError('invalid_request', { detail: 'This is not a valid HTTP request.' });
}
