import type { Socket } from 'node:net';
import { STATUS_CODES } from 'node:http';
import { AppError, newId } from '@app/kernel';
import { problemHeaders, toProblem } from './problem.js';

/**
 * Answers what Node could not read as a request, in the words of every other error, and closes: where the next
 * request would begin is not known.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = toAppError(error);
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
  socket.end(`${[status, ...lines].join('\r\n')}\r\n\r\n${body}`);
}

function toAppError({ code }: NodeJS.ErrnoException): AppError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('request_timeout');
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new AppError('headers_too_large', { detail: 'The headers may be at most 16 kB long.' });
  }
  return new AppError('invalid_request', { detail: 'This is not a valid HTTP request.' });
}
