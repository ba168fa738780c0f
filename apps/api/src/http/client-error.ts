import type { Socket } from 'node:net';
import { STATUS_CODES, type ServerResponse } from 'node:http';
import { AppError, newId } from '@app/kernel';
import { problemHeaders, toProblem } from './problem.js';

/** For reading the answer: closed at once, with bytes unread, TCP would reset and take the answer back. */
const LINGER_MS = 1_000;

/**
 * Answers what Node could not read as a request, in the words of every other error, and closes: where the next
 * request would begin is not known.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Answering): void {
  // Answered already: it goes on sending, and every piece of that is an error again.
  if (socket.writableEnded && !socket.destroyed) return;
  // Into an answer that has begun nothing may be written: its reader would take it for a part of the file.
  const hasBegun = socket._httpMessage?.headersSent === true;
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegun) {
    socket.destroy();
    return;
  }
  socket.end(messageOf(toAppError(error)));
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => {
    clearTimeout(linger);
  });
}

/** Node keeps the response that is being written there, for its own handling of these errors. */
type Answering = Socket & { readonly _httpMessage?: ServerResponse | null };

function messageOf(problem: AppError): string {
  const requestId = newId();
  const body = JSON.stringify(toProblem(problem, requestId));
  const headers = {
    ...problemHeaders(problem),
    'X-Request-Id': requestId,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const status = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`;
  return `${[status, ...lines].join('\r\n')}\r\n\r\n${body}`;
}

function toAppError({ code }: NodeJS.ErrnoException): AppError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('request_timeout');
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new AppError('headers_too_large', { detail: 'The headers may be at most 16 kB long.' });
  }
  return new AppError('invalid_request', { detail: 'This is not a valid HTTP request.' });
}
