import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../../test/support/eventually.js';
import { authorizationOf, loopbackEgress } from '../../../../test/support/loopback-egress.js';
import { exchange, hangUp, openSocket, readAnswer } from '../../../../test/support/raw-http.js';
import type { EgressProxy } from './egress-proxy.js';

let proxy: EgressProxy;
beforeEach(async () => {
  proxy = await loopbackEgress().open();
});
afterEach(async () => {
  hangUp();
  await proxy.close();
});

async function listen<T extends net.Server>(server: T): Promise<{ server: T; port: number }> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

/** A request to the proxy, with its credential. */
const request = (line: string, headers: readonly string[], body = ''): string =>
  [
    line,
    'Host: site.test',
    `Proxy-Authorization: ${authorizationOf(proxy.credential)}`,
    ...headers,
    '',
    body,
  ].join('\r\n');

describe('a message with an ambiguous end', () => {
  const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: site.test\r\n\r\n';
  const CHUNKED = `${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`;
  const close = 'Connection: close';

  let site: http.Server;
  let port: number;
  let seen: string[];
  beforeEach(async () => {
    seen = [];
    ({ server: site, port } = await listen(
      http.createServer((asked, response) => {
        let body = '';
        asked.setEncoding('latin1').on('data', (part: string) => (body += part));
        asked.on('end', () => {
          seen.push(`${asked.url} ${body.length}`);
          response.end('ok');
        });
      }),
    ));
  });
  afterEach(() => {
    site.closeAllConnections();
    site.close();
  });

  /** The requests that the site receives for the message, and for a valid one after it on the kept connection. */
  const seenOf = async (headers: readonly string[], body: string): Promise<string[]> => {
    await exchange(proxy.proxyUrl, request(`POST http://127.0.0.1:${port}/first HTTP/1.1`, headers, body));
    await exchange(proxy.proxyUrl, request(`GET http://127.0.0.1:${port}/last HTTP/1.1`, [close]));
    return seen;
  };

  it.each([
    ['a length and chunks', [`Content-Length: ${CHUNKED.length}`, 'Transfer-Encoding: chunked']],
    ['chunks and a length', ['Transfer-Encoding: chunked', 'Content-Length: 5']],
    ['chunked once, and something else', ['Transfer-Encoding: chunked, identity']],
    ['xchunked', ['Transfer-Encoding: xchunked']],
    ['a blank before the colon', ['Transfer-Encoding : chunked']],
    ['a tab in the value', ['Transfer-Encoding:\tchunked\t, x']],
    ['a folded value', ['Transfer-Encoding:\r\n xchunked']],
    ['two lengths', ['Content-Length: 5', `Content-Length: ${CHUNKED.length}`]],
    ['a list of lengths', [`Content-Length: 5, ${CHUNKED.length}`]],
    ['a signed length', [`Content-Length: +${CHUNKED.length}`]],
    ['a bare line feed', [`X-A: b\nContent-Length: ${CHUNKED.length}`]],
    ['a bare CR', [`X-A: b\rContent-Length: ${CHUNKED.length}`]],
    ['a NUL', [`X-A: \0`, `Content-Length: ${CHUNKED.length}`]],
  ])('is refused: %s', async (_, headers) => {
    expect(await seenOf([...headers, close], CHUNKED)).toEqual(['/last 0']);
  });

  it.each([
    ['Content-Length', [`Content-Length: ${SMUGGLED.length}`], SMUGGLED],
    ['Transfer-Encoding', ['Transfer-Encoding: chunked'], CHUNKED],
    ['Host', [`Content-Length: ${SMUGGLED.length}`], SMUGGLED],
  ])('keeps its end when Connection names %s', async (name, headers, body) => {
    const sent = [...headers, `Connection: close, ${name}`];
    expect(await seenOf(sent, body)).toEqual([`/first ${SMUGGLED.length}`, '/last 0']);
  });

  it('keeps its end when it comes in chunks', async () => {
    const sent = ['Transfer-Encoding: chunked', close];
    expect(await seenOf(sent, CHUNKED)).toEqual([`/first ${SMUGGLED.length}`, '/last 0']);
  });

  it('does not ask a host to switch protocols', async () => {
    site.on('upgrade', (_, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
    const headers = ['Connection: close, upgrade', 'Upgrade: websocket'];
    expect(await seenOf(headers, '')).toEqual(['/first 0', '/last 0']);
  });
});

describe('the traffic of a proxy', () => {
  const PART = Buffer.alloc(65_536, 'x');
  /** More than the kernel buffers for two connections (4 MB each way by default), and less than is offered. */
  const MAX_BUFFERED = 64e6;
  const OFFERED = 400e6;

  /** Writes until the other end reads no more; resolves with the number of bytes that were taken. */
  const pourInto = async (socket: net.Socket): Promise<number> => {
    let offered = 0;
    const more = (): void => {
      while (offered < OFFERED && !socket.destroyed && socket.write(PART)) offered += PART.length;
    };
    socket.on('drain', more);
    more();
    let last = -1;
    let stood = 0;
    await eventually('no more bytes are taken', () => {
      const taken = socket.bytesWritten;
      stood = taken === last ? stood + 1 : 0;
      last = taken;
      return stood > 15;
    });
    return last;
  };

  it.each(['plain', 'tunnelled'])('is not buffered for a client that does not read: %s', async (kind) => {
    const pouring = Promise.withResolvers<number>();
    const { server, port } = await listen(
      net.createServer((socket) => {
        socket
          .on('error', () => undefined)
          .once('data', () => {
            socket.write('HTTP/1.1 200 OK\r\n\r\n');
            pourInto(socket).then(pouring.resolve, pouring.reject);
          });
      }),
    );
    const client = await openSocket(proxy.proxyUrl);
    if (kind === 'plain') client.write(request(`GET http://127.0.0.1:${port}/ HTTP/1.1`, []));
    else client.write(`${request(`CONNECT 127.0.0.1:${port} HTTP/1.1`, [])}GET / HTTP/1.1\r\n\r\n`);
    client.pause();
    expect(await pouring.promise).toBeLessThan(MAX_BUFFERED);
    server.close();
  });

  it.each(['plain', 'tunnelled'])('is not buffered for a host that does not read: %s', async (kind) => {
    const { server, port } = await listen(
      net.createServer((socket) => socket.on('error', () => undefined).pause()),
    );
    const client = await openSocket(proxy.proxyUrl);
    const headers = [`Content-Length: ${OFFERED}`];
    if (kind === 'plain') client.write(request(`POST http://127.0.0.1:${port}/ HTTP/1.1`, headers));
    else client.write(request(`CONNECT 127.0.0.1:${port} HTTP/1.1`, []));
    expect(await pourInto(client)).toBeLessThan(MAX_BUFFERED);
    server.close();
  });

  it('has a limited header length', async () => {
    const answer = await exchange(
      proxy.proxyUrl,
      request(`GET http://127.0.0.1:9/${'a'.repeat(1e6)} HTTP/1.1`, []),
    );
    expect(answer.text).toBe('');
    const name = `${'a'.repeat(300)}.example`;
    const long = await exchange(
      proxy.proxyUrl,
      request(`GET http://${name}/ HTTP/1.1`, ['Connection: close']),
    );
    expect(long.statuses).toEqual([502]);
    expect(proxy.netErrorOf(new URL(`http://${name}/`))).toBe('ERR_NAME_NOT_RESOLVED');
  });

  it('ends at the host when the client disconnects before the response', async () => {
    const gone = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const { server, port } = await listen(
      net.createServer((socket) => {
        socket.on('error', () => undefined).on('data', () => asked.resolve());
        socket.once('close', () => gone.resolve());
      }),
    );
    const client = await openSocket(proxy.proxyUrl);
    client.write(request(`GET http://127.0.0.1:${port}/ HTTP/1.1`, []));
    await asked.promise;
    client.destroy();
    await gone.promise;
    server.close();
  });
});

describe('a client without the credential', () => {
  it('is refused as a request and as a tunnel, also with the credential of another proxy, and is not counted', async () => {
    const other = await loopbackEgress().open();
    const { server, port } = await listen(http.createServer((_, response) => response.end('reached')));
    const shown = [
      [],
      [`Proxy-Authorization: ${authorizationOf(other.credential)}`],
      [`Proxy-Authorization: ${authorizationOf(proxy.credential).slice(0, -1)}`],
      ['Proxy-Authorization: Basic'],
      [`Authorization: ${authorizationOf(proxy.credential)}`],
    ];
    for (const headers of shown) {
      for (const line of [`GET http://127.0.0.1:${port}/ HTTP/1.1`, `CONNECT 127.0.0.1:${port} HTTP/1.1`]) {
        const bytes = [line, 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n');
        expect((await exchange(proxy.proxyUrl, bytes)).statuses).toEqual([407]);
      }
    }
    expect(proxy.usage()).toEqual({
      requests: 0,
      blocked: 0,
      bytes: 0,
      exceeded: null,
      starved: false,
      unresolved: false,
    });
    server.close();
    await other.close();
  });

  it('does not block a client with it, however many connections it holds', async () => {
    const { server, port } = await listen(http.createServer((_, response) => response.end('reached')));
    const first = await openSocket(proxy.proxyUrl);
    first.write(request(`GET http://127.0.0.1:${port}/ HTTP/1.1`, []));
    await once(first, 'data');
    let closed = 0;
    for (let opened = 0; opened < 1_600; opened += 1) {
      const silent = await openSocket(proxy.proxyUrl);
      silent
        .resume()
        .once('close', () => (closed += 1))
        .once('end', () => silent.destroy());
    }
    await eventually('the oldest are closed', () => closed >= 500);
    first.write(request(`GET http://127.0.0.1:${port}/ HTTP/1.1`, ['Connection: close']));
    expect((await readAnswer(first)).body).toContain('reached');
    const second = request(`GET http://127.0.0.1:${port}/ HTTP/1.1`, ['Connection: close']);
    expect((await exchange(proxy.proxyUrl, second)).body).toContain('reached');
    server.closeAllConnections();
    server.close();
  });
});
