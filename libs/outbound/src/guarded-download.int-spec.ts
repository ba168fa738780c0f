import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Env } from '@app/config';
import { instantiate } from '@app/kernel';
import { FlippingResolver } from '../../../test/egress/flipping-resolver.js';
import { EgressGuard } from './egress-guard.js';
import { readEgressPolicy } from './egress-policy.js';
import type { DownloadOutcome } from './guarded-client.js';
import { GuardedFetchService } from './guarded-fetch.service.js';

describe('a download of the guarded client', () => {
  let server: http.Server;
  let origin: string;
  let serve: http.RequestListener;
  let requests: http.IncomingMessage[];

  beforeEach(async () => {
    requests = [];
    serve = (_, response) => void response.end('hello');
    server = http.createServer((request, response) => {
      requests.push(request);
      serve(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const get = (url: string, { allow = origin, timeoutMs = 10_000 } = {}): Promise<DownloadOutcome> => {
    const guard = new EgressGuard(readEgressPolicy(instantiate(Env, { EGRESS_ALLOW: allow })));
    return new GuardedFetchService(guard, new FlippingResolver()).get({
      url: new URL(url),
      headers: { 'if-none-match': '"1"' },
      maxBytes: 100_000,
      timeoutMs,
      signal: new AbortController().signal,
    });
  };

  it('returns the status, the headers and the whole body', async () => {
    serve = (_, response) => {
      response.writeHead(200, { etag: '"2"' });
      response.write(Buffer.alloc(60_000, 'a'));
      setImmediate(() => response.end(Buffer.alloc(40_000, 'b')));
    };
    const outcome = await get(`http://${origin}/list.txt?key=1`);
    if (outcome.kind !== 'answered') throw new Error(outcome.kind);
    expect(outcome).toMatchObject({ status: 200, headers: { etag: '"2"' } });
    expect(outcome.body.toString()).toBe('a'.repeat(60_000) + 'b'.repeat(40_000));
    expect(requests).toMatchObject([
      { method: 'GET', url: '/list.txt?key=1', headers: { 'if-none-match': '"1"' } },
    ]);
  });

  it('ends a body that is too long, and closes the connection', async () => {
    let sent = 0;
    serve = (_, response) => {
      const pour = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536;
      };
      response.on('drain', pour);
      pour();
    };
    expect(await get(`http://${origin}/`)).toEqual({ kind: 'too_large' });
    expect(sent).toBeLessThan(10e6);
  });

  it('has no answer when a body ends early or never', async () => {
    serve = (request, response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('five!');
      setTimeout(() => request.socket.destroy(), 20);
    };
    expect(await get(`http://${origin}/`)).toEqual({ kind: 'connection' });
    serve = (_, response) => void response.write('part');
    expect(await get(`http://${origin}/`, { timeoutMs: 200 })).toEqual({ kind: 'timeout' });
  });

  it('reaches no address that is not public, and follows no redirect', async () => {
    expect(await get(`http://${origin}/`, { allow: '' })).toEqual({ kind: 'forbidden' });
    expect(requests).toEqual([]);
    serve = (_, response) => void response.writeHead(302, { location: '/other' }).end();
    expect(await get(`http://${origin}/`)).toMatchObject({ kind: 'answered', status: 302 });
    expect(requests).toHaveLength(1);
  });
});
