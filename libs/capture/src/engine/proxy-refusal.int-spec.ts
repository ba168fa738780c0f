import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { BrowserPoolService, type Egress } from '@app/browser';
import { AppError, instantiate } from '@app/kernel';
import { browserEnv } from '../../../../test/support/browser.js';
import { loopbackEgress } from '../../../../test/support/loopback-egress.js';
import { Site } from '../../../../test/support/site.js';
import { CaptureOptions } from '../request/capture-options.js';
import { CaptureEngine } from './capture-engine.js';
import { noFilters } from '../../../../test/support/filters.js';

Logger.overrideLogger(false);

/** Exits whose contexts never learn what they have to show to their proxy. */
const exits = {
  open: async (): Promise<Egress> => {
    const proxy = await loopbackEgress().open();
    return {
      proxyUrl: proxy.proxyUrl,
      usage: () => proxy.usage(),
      screen: () => undefined,
      netErrorOf: (url) => proxy.netErrorOf(url),
      restart: () => undefined,
      close: () => proxy.close(),
    };
  },
};
const pool = new BrowserPoolService(browserEnv(), exits);
const site = new Site({ '/': '<title>Never seen</title>' });

beforeAll(async () => {
  await Promise.all([site.open(), pool.start()]);
});
afterAll(async () => {
  await Promise.all([site.close(), pool.close()]);
});

it('the proxy’s response to a browser without its credential is not captured', async () => {
  const options = instantiate(CaptureOptions, { url: site.url('/'), timeout_ms: 10_000 });
  const engine = new CaptureEngine(pool, { maxBytes: 1e6, filters: noFilters });
  const captured = engine.capture(options, new AbortController().signal);
  const error = await captured.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(AppError);
  expect(error).toMatchObject({ code: 'internal', retryable: true });
  expect(site.requests).toEqual([]);
});
