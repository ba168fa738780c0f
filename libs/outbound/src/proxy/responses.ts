import type { IncomingMessage, ServerResponse } from 'node:http';
import { forwardedHeaders } from './headers.js';
import { EGRESS_FAILURES, type EgressFailure } from './egress-failure.js';

/** The characters of a reason phrase (RFC 9112, 4); Node throws on any other. */
const REASON = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The authentication scheme for the credential of a client. */
export const SCHEME = 'Basic realm="egress"';

/** Requests the credential of a client. */
export function challenge(response: ServerResponse): void {
  response.writeHead(407, { 'proxy-authenticate': SCHEME, 'content-length': '0' }).end();
}

/**
 * Confirms the credential of a client. A page reads the status across origins. The connection is closed, because Chromium
 * would keep it for this host alone.
 */
export function acknowledge(response: ServerResponse): void {
  const headers = { 'access-control-allow-origin': '*', 'cache-control': 'no-store', connection: 'close' };
  response.writeHead(204, headers).end();
}

/** Forwards the response of a host, and its end: a body that is cut off there is cut off here, at once. */
export function forwardResponse(received: IncomingMessage, response: ServerResponse): void {
  const { statusCode = 502, statusMessage = '', rawHeaders } = received;
  response.sendDate = false;
  response.writeHead(
    statusCode,
    REASON.test(statusMessage) ? statusMessage : '',
    forwardedHeaders(rawHeaders),
  );
  received.once('error', () => {
    cutOff(response);
  });
  received.pipe(response);
}

/**
 * Refuses a plain request. Chromium would show any valid response as the page, whatever its status. It must treat one with
 * two lengths as a broken connection (RFC 9112, 6.3), and does not retry it as it would a truncated one.
 */
export function refuse(response: ServerResponse, { kind }: EgressFailure): void {
  response
    .writeHead(EGRESS_FAILURES[kind].status, 'Refused', [
      'content-length',
      '0',
      'content-length',
      '1',
      'connection',
      'close',
    ])
    .end();
}

/** Closes the connection after the incomplete response, so that Chromium knows that it is incomplete. */
function cutOff(response: ServerResponse): void {
  const { socket } = response;
  if (!socket) return void response.destroy();
  response.flushHeaders();
  socket.destroySoon();
}
