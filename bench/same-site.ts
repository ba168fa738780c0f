import { createHash, X509Certificate } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { CERTIFICATE } from '../test/support/certificate.js';

/** Documentation of Debian's package `nodejs`: pages of 10 to 300 kB that share style sheets, a script and pictures. */
const DOCUMENTATION = '/usr/share/doc/nodejs/api';
/** One page of it has 8 MB, which is not a usual page. */
const MAX_PAGE_BYTES = 300_000;
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

/** The hash by which Chromium trusts the certificate of the site: what it does not trust it does not cache. */
export const SITE_KEY = createHash('sha256')
  .update(new X509Certificate(CERTIFICATE.cert).publicKey.export({ type: 'spki', format: 'der' }))
  .digest('base64');

export interface SiteTraits {
  readonly cacheControl: string;
  /** Latency of the site in ms. */
  readonly roundTripMs: number;
  /** `http:` for browsers that do not know its certificate; `https:` unless given. */
  readonly scheme?: 'http:' | 'https:';
}

export interface SameSite extends Disposable {
  readonly origin: string;
  readonly urls: readonly string[];
}

/** Serves pages of one site on loopback, with the given latency. */
export async function serveSameSite({
  cacheControl,
  roundTripMs,
  scheme = 'https:',
}: SiteTraits): Promise<SameSite> {
  const files = existsSync(DOCUMENTATION) ? readDocumentation() : makePages();
  const answer = ({ url = '', headers }: http.IncomingMessage, response: http.ServerResponse): void => {
    const body = files.get(url);
    const etag = `"${url}"`;
    const type = TYPES[path.extname(url)] ?? 'text/plain';
    const isKnown = headers['if-none-match'] === etag;
    response.writeHead(body === undefined ? 404 : isKnown ? 304 : 200, {
      'cache-control': cacheControl,
      'content-type': type,
      etag,
    });
    response.end(isKnown ? undefined : body);
  };
  const options = { keepAliveTimeout: 60_000 };
  const server =
    scheme === 'http:'
      ? http.createServer(options, answer)
      : https.createServer({ ...CERTIFICATE, ...options }, answer);
  const near = net.createServer((socket) => {
    carry(socket, (server.address() as AddressInfo).port, roundTripMs);
  });
  for (const each of [server, near]) await new Promise<void>((done) => each.listen(0, '127.0.0.1', done));
  const origin = `${scheme}//127.0.0.1:${(near.address() as AddressInfo).port}`;
  return {
    origin,
    urls: [...files.keys()].filter((name) => name.endsWith('.html')).map((name) => origin + name),
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
      near.close();
    },
  };
}

/** Delays all bytes by half a round trip, and the first ones by a whole round trip more, as the handshake of TCP does. */
function carry(near: net.Socket, port: number, roundTripMs: number): void {
  const far = net.connect({ port, host: '127.0.0.1', noDelay: true });
  const opened = performance.now() + roundTripMs;
  near.setNoDelay(true).on('data', (bytes) => {
    const opensInMs = Math.max(0, opened - performance.now());
    setTimeout(() => far.write(bytes), opensInMs + roundTripMs / 2);
  });
  far.on('data', (bytes) => setTimeout(() => near.destroyed || near.write(bytes), roundTripMs / 2));
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.on('error', () => one.destroy()).on('close', () => other.destroy());
  }
}

function readDocumentation(): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const name of readdirSync(DOCUMENTATION, { recursive: true, encoding: 'utf8' })) {
    if (!(path.extname(name) in TYPES)) continue;
    const text = readFileSync(path.join(DOCUMENTATION, name), 'utf8');
    if (text.length > MAX_PAGE_BYTES) continue;
    // The fonts of another site are left out, as it may not be reachable.
    files.set(`/${name}`, Buffer.from(text.replaceAll(/<link[^>]*fonts\.googleapis[^>]*>/g, '')));
  }
  return files;
}

/** Pages that share as much, for machines without that package. */
function makePages(): Map<string, Buffer> {
  const lines = (count: number, line: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => line(i)).join('\n');
  const files = new Map([
    ['/site.css', lines(300, (i) => `.c${i} > .d${i % 40} { margin: ${i % 9}px; color: #${i + 100}; }`)],
    ['/site.js', lines(200, (i) => `function f${i}(a) { return a * ${i}; }`)],
    ['/mark.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80"><circle r="40"/></svg>'],
  ]);
  for (let i = 0; i < 40; i++) {
    const text = lines(80, (k) => `<p class="c${k}"><span class="d${k % 40}">Paragraph ${k}.</span></p>`);
    const head = '<link rel="stylesheet" href="site.css"><script src="site.js" async></script>';
    files.set(`/page-${i}.html`, `<!doctype html><title>${i}</title>${head}<img src="mark.svg">${text}`);
  }
  return new Map([...files].map(([name, text]) => [name, Buffer.from(text)]));
}
