import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { constants, crc32, deflateRawSync, deflateSync } from 'node:zlib';

type Route = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

const html = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };

/** Answers that only a hostile server gives. */
export const hostileRoutes: Readonly<Record<string, Route>> = {
  /** Endless HTML, as fast as it is read. */
  '/stream': async (_, response) => {
    response.writeHead(200, html);
    await sendOften(response, Buffer.from('<p>on and on</p>'.repeat(4_096)));
  },
  /** Endless HTML, a paragraph at a time. */
  '/trickle': async (_, response) => {
    response.writeHead(200, html).write('<!doctype html><title>Trickle</title>');
    while (!response.destroyed) {
      response.write('<p>on and on</p>');
      await wait(20);
    }
  },
  /** A byte every 10 s. */
  '/drip': async (_, response) => {
    response.writeHead(200, html).flushHeaders();
    while (!response.destroyed) {
      response.write('<');
      await wait(10_000, undefined, { ref: false });
    }
  },
  /** Headers one byte at a time, so that the body never begins. */
  '/drip-headers': async ({ socket }) => {
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 200 OK\r\nX-Long: ');
    while (!socket.destroyed) {
      socket.write('x');
      await wait(200, undefined, { ref: false });
    }
  },
  '/redirects': (request, response) => {
    const count = Number(new URL(request.url ?? '', 'http://site.test').searchParams.get('n') ?? '0');
    response.writeHead(302, { location: `/redirects?n=${count + 1}` }).end();
  },
  /** 10 MB that unpack to 10 GB of blanks: a page of tags would be parsed too slowly to fill the memory. */
  '/bomb': async (_, response) => {
    response.writeHead(200, { ...html, 'content-encoding': 'gzip' });
    response.write(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]));
    await sendOften(response, PACKED_MEGABYTE, 10_240);
  },
  '/bomb-in-a-frame': (_, response) => void response.writeHead(200, html).end('<iframe src="/bomb">'),
  '/bomb-in-a-worker': (_, response) => {
    const script = `new Worker(URL.createObjectURL(new Blob(["fetch('" + location.origin + "/bomb').then((r) => r.text())"])))`;
    response.writeHead(200, html).end(`<title>Worker</title><script>${script}</script>`);
  },
  '/image-bomb': (_, response) =>
    void response.writeHead(200, html).end('<title>Image</title><img src="/bomb.png" width="100">'),
  '/bomb.png': (_, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end(PNG_BOMB),
  '/attachment': (_, response) => {
    const headers = { 'content-type': 'text/html', 'content-disposition': 'attachment; filename=a.html' };
    response.writeHead(200, headers).end('<h1>Saved?</h1>'.repeat(10_000));
  },
  '/zip': (_, response) =>
    void response.writeHead(200, { 'content-type': 'application/zip' }).end(Buffer.alloc(100_000, 'PK')),
  '/to-a-download': (_, response) =>
    void response
      .writeHead(200, html)
      .end(
        `<title>Downloads</title><a download href="/zip"></a><script>document.querySelector('a').click()</script>`,
      ),
  '/leaf': (_, response) => void response.writeHead(200, html).end('<p>leaf</p>'),
  '/pixel': (_, response) => void response.writeHead(200, { 'content-type': 'image/gif' }).end(PIXEL),
  '/events': async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    while (!response.destroyed) {
      response.write('data: on and on\n\n');
      await wait(50, undefined, { ref: false });
    }
  },
  /** An endless response that claims to be a video. */
  '/endless-video': async (_, response) => {
    response.writeHead(200, { 'content-type': 'video/mp4' });
    while (!response.destroyed) {
      response.write(Buffer.alloc(1_000));
      await wait(50, undefined, { ref: false });
    }
  },
  '/video': (_, response) =>
    void response.writeHead(200, html).end('<title>Video</title><video autoplay muted src="/endless-video">'),
  '/to-no-address': (_, response) =>
    void response
      .writeHead(200, html)
      .end("<script>onload = () => { location.href = 'about:srcdoc' }</script>"),
  '/worker.js': (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/javascript' }).end(SERVICE_WORKER),
  '/basic': (_, response) =>
    void response
      .writeHead(401, { ...html, 'www-authenticate': 'Basic realm="site"' })
      .end('<title>Who?</title>'),
  '/proxy-auth': (_, response) =>
    void response
      .writeHead(407, { ...html, 'proxy-authenticate': 'Basic realm="proxy"' })
      .end('<title>Proxy?</title>'),
};

/** Sends the chunk this many times, or until the browser hangs up. */
async function sendOften(response: ServerResponse, chunk: Buffer, times = Infinity): Promise<void> {
  const chunks = function* () {
    for (let count = 0; count < times; count += 1) yield chunk;
  };
  await pipeline(chunks, response).catch(() => undefined);
}

/** A part of a deflate stream that ends with a full flush, so that it can be repeated. */
const PACKED_MEGABYTE = deflateRawSync(Buffer.alloc(1_048_576, ' '), {
  finishFlush: constants.Z_FULL_FLUSH,
});

const PIXEL = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64');

const SERVICE_WORKER = `
  oninstall = () => skipWaiting();
  onactivate = (event) => event.waitUntil(clients.claim());
  onfetch = (event) => {
    if (event.request.mode !== 'navigate') return;
    event.respondWith(new Response('<title>Hijacked</title>', { headers: { 'content-type': 'text/html' } }));
  };`;

/** A PNG that claims 65,535 × 65,535 px: 16 GB when it is decoded. */
const PNG_BOMB = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  chunk('IHDR', Buffer.from([0, 0, 255, 255, 0, 0, 255, 255, 8, 6, 0, 0, 0])),
  chunk('IDAT', deflateSync(Buffer.alloc(10_000_000))),
  chunk('IEND', Buffer.alloc(0)),
]);

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), data]);
  const frame = Buffer.alloc(body.length + 8);
  frame.writeUInt32BE(data.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(crc32(body), body.length + 4);
  return frame;
}
