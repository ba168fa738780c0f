import type { Socket } from 'node:net';

/** Answers a request; it may do anything with the connection. */
export type RawAnswer = (socket: Socket) => void;

/** Sends these bytes and ends the connection. */
const send =
  (bytes: string | Buffer): RawAnswer =>
  (socket) =>
    void socket.end(bytes);

/** Sends these bytes and leaves the connection open. */
const keep =
  (bytes: string): RawAnswer =>
  (socket) =>
    void socket.write(bytes);

/** Sends `head`, then `part` again and again, as fast as it is read. */
const pour =
  (head: string, part: string): RawAnswer =>
  (socket) => {
    socket.write(head);
    const more = (): void => {
      while (!socket.destroyed && socket.write(part));
    };
    socket.on('drain', more);
    more();
  };

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';
const PAGE = '<!doctype html><title>Raw</title><p>hello</p>';
const WHOLE = `${OK}Content-Length: ${PAGE.length}\r\n\r\n${PAGE}`;
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;
const status = (line: string): RawAnswer => send(`${line}\r\nContent-Length: 2\r\n\r\nhi`);
const header = (line: string | Buffer): RawAnswer =>
  send(Buffer.concat([Buffer.from(OK), Buffer.from(line), Buffer.from('\r\nContent-Length: 2\r\n\r\nhi')]));

/** Unusual answers that are pages. */
export const PROPER: Readonly<Record<string, RawAnswer>> = {
  '100 before the answer': keep(`HTTP/1.1 100 Continue\r\n\r\n${WHOLE}`),
  '102 and 103 before the answer': keep(
    `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n${WHOLE}`,
  ),
  'no reason': send(`HTTP/1.1 200\r\nContent-Length: ${PAGE.length}\r\n\r\n${PAGE}`),
  'a reason of control characters': send(
    `HTTP/1.1 200 \x01\x02\r\nContent-Type: text/html\r\nContent-Length: ${PAGE.length}\r\n\r\n${PAGE}`,
  ),
  'no length at all': send(`${OK}\r\n${PAGE}`),
  trailers: keep(`${CHUNKED}${PAGE.length.toString(16)}\r\n${PAGE}\r\n0\r\nX-Trailer: 1\r\n\r\n`),
  'a Connection header that names the length': send(
    `${OK}Connection: content-length, close\r\nContent-Length: ${PAGE.length}\r\n\r\n${PAGE}`,
  ),
  'another answer behind it': keep(`${WHOLE}HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad`),
  'headers of 200 kB': header(`X-Long: ${'a'.repeat(200_000)}`),
  'status 999': status('HTTP/1.1 999 Denied'),
};

/** Answers that break off or cannot be decoded. Chromium can show what arrived of those in `PARTS`. */
export const BROKEN: Readonly<Record<string, RawAnswer>> = {
  'a length of 500 and 5 bytes': send(`${OK}Content-Length: 500\r\n\r\nhello`),
  'a length of 500 and no byte': send(`${OK}Content-Length: 500\r\n\r\n`),
  'a cut in a chunk': send(`${CHUNKED}5\r\nhello\r\n50\r\nab`),
  'no last chunk': send(`${CHUNKED}5\r\nhello\r\n`),
  'an invalid chunk size': send(`${CHUNKED}zz\r\nhello\r\n0\r\n\r\n`),
  'a negative chunk size': send(`${CHUNKED}-5\r\nhello\r\n0\r\n\r\n`),
  'a chunk size past 64 bits': send(`${CHUNKED}ffffffffffffffffffff\r\nhello\r\n0\r\n\r\n`),
  'a chunk extension without end': pour(`${CHUNKED}2;`, 'a'.repeat(1_000)),
  'gzip that is none': send(`${OK}Content-Encoding: gzip\r\n\r\nthis is no gzip`),
  'brotli that is none': send(`${OK}Content-Encoding: br\r\n\r\nthis is no brotli`),
  'gzip cut before its length': send(`${OK}Content-Encoding: gzip\r\nContent-Length: 500\r\n\r\n\x1f`),
};

export const PARTS: Readonly<Record<string, RawAnswer>> = {
  'a length of 500 and a page': send(`${OK}Content-Length: 500\r\n\r\n${PAGE}`),
  'a page, then no last chunk': send(`${CHUNKED}${PAGE.length.toString(16)}\r\n${PAGE}\r\n`),
};

/** Answers that Chromium refuses too, over TLS as over plain HTTP. */
export const IMPROPER: Readonly<Record<string, RawAnswer>> = {
  'status 000': status('HTTP/1.1 000 Nothing'),
  'status 99': status('HTTP/1.1 99 Early'),
  'status 099': status('HTTP/1.1 099 Early'),
  'status 1000': status('HTTP/1.1 1000 Late'),
  'status 99999': status('HTTP/1.1 99999 Late'),
  'status 407': send(
    'HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm="x"\r\nContent-Length: 2\r\n\r\nhi',
  ),
  'HTTP/0.9': send(PAGE),
  'another protocol': send('SSH-2.0-OpenSSH_9.6\r\n'),
  'an ICY status': send('ICY 200 OK\r\n\r\nhi'),
  'binary garbage': send(Buffer.from(Array.from({ length: 2_000 }, (_, i) => (i * 7_919) % 256))),
  'a NUL in a header': header('X-Nul: a\0b'),
  'two lengths': send(`${OK}Content-Length: 2\r\nContent-Length: 5\r\n\r\nhi`),
  'two locations': send('HTTP/1.1 302 F\r\nLocation: /a\r\nLocation: /b\r\n\r\n'),
  'headers of 300 kB': header(`X-Long: ${'a'.repeat(300_000)}`),
  'headers without end': pour(OK, `X-${'a'.repeat(1_000)}: b\r\n`),
};

/** Answers that the parser of the proxy refuses. Over TLS Chromium is the parser, and accepts most of them. */
export const STRICT: Readonly<Record<string, RawAnswer>> = {
  'status -200': status('HTTP/1.1 -200 X'),
  'no status': status('HTTP/1.1 '),
  'version 9.9': status('HTTP/9.9 200 OK'),
  'a header without a colon': header('NoColonHere'),
  'a blank before the colon': header('X-Blank : b'),
  'a folded header': header('X-Folded: a\r\n b'),
  'a control character in a name': header('X\x01: b'),
  'a bare CR': header('X-Cr: a\rb'),
  'bare line feeds': send('HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 2\n\nhi'),
  'a length and chunks': send(
    `${OK}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
  ),
  'a list of lengths': send(`${OK}Content-Length: 2, 2\r\n\r\nhi`),
  'a negative length': send(`${OK}Content-Length: -2\r\n\r\nhi`),
  'a length past 64 bits': send(`${OK}Content-Length: 99999999999999999999999\r\n\r\nhi`),
  'a length in words': send(`${OK}Content-Length: two\r\n\r\nhi`),
};

/** Interim responses without a final one. */
export const INTERIM: Readonly<Record<string, RawAnswer>> = {
  '101': keep('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  '101 to websocket': keep(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
  ),
  '101 and the end': send('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  '103 without end': pour('', 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n'),
};
