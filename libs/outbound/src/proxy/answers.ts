import type { IncomingMessage, ServerResponse } from 'node:http';
import { forwarded } from './headers.js';
import { OUTAGES, type Outage } from './outage.js';

/** What a status line may hold (RFC 9112, 4); Node throws on anything else. */
const REASON = /^[\t\x20-\x7e\x80-\xff]*$/;

/** How a client is to show its credential. */
export const SCHEME = 'Basic realm="egress"';

/** Asks a client for its credential. */
export function challenge(response: ServerResponse): void {
  response.writeHead(407, { 'proxy-authenticate': SCHEME, 'content-length': '0' }).end();
}

/**
 * Confirms to a client that its credential is right; a page reads the status across origins. Chromium would keep the
 * connection for this one host.
 */
export function acknowledge(response: ServerResponse): void {
  const headers = { 'access-control-allow-origin': '*', 'cache-control': 'no-store', connection: 'close' };
  response.writeHead(204, headers).end();
}

/** Passes on what a host answers, and its end as it came: a body that breaks off there breaks off here, at once. */
export function passOn(answer: IncomingMessage, response: ServerResponse): void {
  const { statusCode = 502, statusMessage = '', rawHeaders } = answer;
  response.sendDate = false;
  response.writeHead(statusCode, REASON.test(statusMessage) ? statusMessage : '', forwarded(rawHeaders));
  answer.once('error', () => {
    breakOff(response);
  });
  answer.pipe(response);
}

/**
 * Refuses a plain request. Chromium would show any proper answer as the page, whatever its status. One with two
 * lengths it must throw away as a broken connection (RFC 9112, 6.3), and, other than one that is cut, it does not ask
 * again.
 */
export function refuse(response: ServerResponse, { kind }: Outage): void {
  response
    .writeHead(OUTAGES[kind].status, 'Refused', [
      'content-length',
      '0',
      'content-length',
      '1',
      'connection',
      'close',
    ])
    .end();
}

/** Closes the connection after what there is of an answer: Chromium then knows that it is not whole. */
function breakOff(response: ServerResponse): void {
  const { socket } = response;
  if (!socket) return void response.destroy();
  response.flushHeaders();
  socket.destroySoon();
}
