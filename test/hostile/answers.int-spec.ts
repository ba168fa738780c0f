import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { CaptureOptions } from '@app/capture';
import { Arena } from '../support/arena.js';
import { BROKEN, IMPROPER, INTERIM, PARTS, PROPER, STRICT, type RawAnswer } from '../support/raw-answers.js';
import { RawSite } from '../support/raw-site.js';

Logger.overrideLogger(false);

const all = { ...PROPER, ...BROKEN, ...PARTS, ...IMPROPER, ...STRICT, ...INTERIM };
const frame: RawAnswer = (socket) => {
  const parts = Object.keys({ ...BROKEN, ...PARTS, ...IMPROPER }).map(encodeURIComponent);
  const page = parts.map((name) => `<img src="${name}"><script src="${name}"></script>`).join('');
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';
  const body = `<!doctype html><title>Parts</title>${page}`;
  socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
};
const clearing: RawAnswer = (socket) => {
  const header = 'Clear-Site-Data: "*"\r\nContent-Length: 0\r\n';
  socket.write(`HTTP/1.1 302 Found\r\n${header}Location: /no%20length%20at%20all\r\n\r\n`);
};

const SCHEMES = ['http', 'https'] as const;

let sites: Record<(typeof SCHEMES)[number], RawSite>;
let arena: Arena;
beforeAll(async () => {
  const [http, https] = await Promise.all(
    SCHEMES.map((scheme) => RawSite.open(scheme, { ...all, frame, clearing })),
  );
  if (!http || !https) throw new Error('A site is missing.');
  sites = { http, https };
  arena = await Arena.open();
});
afterAll(async () => {
  await arena.close();
  await Promise.all(Object.values(sites).map((site) => site.close()));
});

describe.each(SCHEMES)('an answer over %s:', (scheme) => {
  const visit = (name: string, options: Partial<CaptureOptions> = {}) => {
    arena.meddle = ({ cdp }) => {
      cdp.send('Security.setIgnoreCertificateErrors', { ignore: true }).catch(() => undefined);
    };
    return arena.visit(sites[scheme].url(name), options);
  };

  /** Expects an error of Chromium about the target, not one that only our proxy causes. */
  const expectClean = (netError: string | undefined): void => {
    expect(netError).toMatch(/^net::ERR_/);
    expect(netError).not.toMatch(/MULTIPLE_CONTENT_LENGTH|TUNNEL|PROXY_CONNECTION|HPE/);
  };

  it.each(Object.keys(PROPER))('%s is captured', async (name) => {
    expect(await visit(name)).toMatchObject({ end: 'file', facts: { complete: true, failedRequests: 0 } });
  });

  it.each(Object.keys({ ...BROKEN, ...PARTS }))('%s is not captured as a whole page', async (name) => {
    const { end, netError } = await visit(name);
    expect(end).toBe('target_connection_failed');
    expect(netError).toMatch(/MISMATCH|CHUNKED_ENCODING|DECODING_FAILED/);
  });

  it.each(Object.keys(PARTS))('%s is captured as incomplete with on_timeout capture', async (name) => {
    const outcome = await visit(name, { on_timeout: 'capture' });
    expect(outcome).toMatchObject({ end: 'file', facts: { title: 'Raw', complete: false } });
  });

  it.each(Object.keys(BROKEN))('%s is not captured even with on_timeout capture', async (name) => {
    expect((await visit(name, { on_timeout: 'capture' })).end).toBe('target_connection_failed');
  });

  it.each(Object.keys(IMPROPER))('%s fails the connection', async (name) => {
    const { end, netError } = await visit(name);
    expect(end).toBe('target_connection_failed');
    expectClean(netError);
  });

  it.each(Object.keys(STRICT))('%s fails the connection, or Chromium accepts it', async (name) => {
    const { end, netError } = await visit(name);
    expect(scheme === 'http' ? ['target_connection_failed'] : ['target_connection_failed', 'file']).toContain(
      end,
    );
    if (end !== 'file') expectClean(netError);
  });

  it.each(Object.keys(INTERIM))('%s does not hold up the capture', async (name) => {
    // In a tunnel only Chromium sees it, and waits for the final response.
    const times = { https: { navigation_timeout_ms: 1_500 }, http: { timeout_ms: 30_000 } };
    const { end, netError } = await visit(name, times[scheme]);
    const ends = ['capture_timeout', 'target_empty_response', 'resource_limit'];
    if (scheme === 'https') return expect(ends).toContain(end);
    expect([end, netError]).toEqual(['target_connection_failed', 'net::ERR_INVALID_HTTP_RESPONSE']);
  });

  it('a redirect that clears site data keeps the credentials of the proxy', async () => {
    const outcome = await visit('clearing');
    expect(outcome).toMatchObject({ end: 'file', facts: { title: 'Raw', httpStatus: 200 } });
  });

  it('a page whose parts are answered in these ways is captured without them', async () => {
    const outcome = await visit('frame');
    expect(outcome).toMatchObject({ end: 'file', facts: { title: 'Parts', complete: true } });
    expect(outcome.facts?.failedRequests).toBeGreaterThan(10);
    // Over TLS Chromium writes its certificate list next to the profile.
    if (scheme === 'http') await arena.expectClean();
  });
});
