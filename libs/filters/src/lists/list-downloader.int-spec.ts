import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Env } from '@app/config';
import { instantiate } from '@app/kernel';
import { EgressGuard, GuardedFetchService, readEgressPolicy } from '@app/outbound';
import { FlippingResolver } from '../../../../test/egress/flipping-resolver.js';
import { CERTIFICATE } from '../../../../test/support/certificate.js';
import { ListDownloader } from './list-downloader.js';

describe(ListDownloader.name, () => {
  const known = tls.getCACertificates('default');
  const plain = http.createServer((_, response) => void response.end('||ads.example^'));
  const secure = https.createServer(CERTIFICATE, ({ url }, response) => {
    const location = url === '/plain' ? `http://127.0.0.1:${portOf(plain)}/` : '/list';
    if (url === '/list') response.end('||ads.example^');
    else response.writeHead(302, { location }).end();
  });
  let downloader: ListDownloader;

  beforeAll(async () => {
    tls.setDefaultCACertificates([...known, CERTIFICATE.cert]);
    for (const server of [plain, secure]) {
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    }
    const ports = [plain, secure].map(portOf);
    const env = instantiate(Env, {
      EGRESS_ALLOW: ports.map((port) => `127.0.0.1:${port}`).join(),
      EGRESS_PORTS: ports.join(),
    });
    const resolver = new FlippingResolver();
    resolver.names.set('site.test', [['127.0.0.1']]);
    const guard = new EgressGuard(readEgressPolicy(env));
    downloader = new ListDownloader(new GuardedFetchService(guard, resolver));
  });

  afterAll(() => {
    tls.setDefaultCACertificates(known);
    for (const server of [plain, secure]) {
      server.closeAllConnections();
      server.close();
    }
  });

  const download = (path: string) =>
    downloader.download(
      new URL(path, `https://site.test:${portOf(secure)}`),
      {},
      new AbortController().signal,
    );

  it('follows a redirect that stays with https', async () => {
    expect(await download('/moved')).toEqual({ kind: 'changed', text: '||ads.example^', validators: {} });
  });

  it('refuses a redirect from https to http, which anyone on the way could answer', async () => {
    expect(await download('/plain')).toEqual({
      kind: 'failed',
      reason: 'its server redirects from https to something else',
    });
  });
});

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
