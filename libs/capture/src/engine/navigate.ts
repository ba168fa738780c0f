import { setTimeout as delay } from 'node:timers/promises';
import { TimeoutError, type PuppeteerLifeCycleEvent } from 'puppeteer';
import type { CaptureOptions } from '../options/index.js';
import { giveUpWaiting, patienceMs, type WaitingOptions } from '../options/waiting.js';
import type { Visit } from '../pipeline/family.js';

/** Where `html` without a base_url lives: a name that never resolves, so that nothing relative leads anywhere. */
const NOWHERE = 'http://html.invalid/';

const LATE_NEWS_MS = 50;

const MOMENTS = {
  load: ['load'],
  domcontentloaded: ['domcontentloaded'],
  networkidle: ['load', 'networkidle0'],
  // What comes after the load is waited for as the page settles, in bounded time.
  auto: ['load'],
} as const satisfies Record<WaitingOptions['wait_until'], readonly PuppeteerLifeCycleEvent[]>;

/** Brings the page to its target and to the moment of `wait_until`. */
export async function navigate(visit: Visit, options: CaptureOptions): Promise<void> {
  if (options.html !== undefined) await answerWith(visit, options.html);
  const timeout = Math.min(options.navigation_timeout_ms, patienceMs(visit, options));
  try {
    await visit.page.goto(visit.target?.href ?? options.base_url ?? NOWHERE, {
      waitUntil: [...MOMENTS[options.wait_until]],
      // 0 would mean no limit.
      timeout: Math.max(1, timeout),
    });
  } catch (error) {
    // Of a target that has not answered there is nothing to capture.
    const isThere = visit.target === null || visit.response !== null;
    if (!(error instanceof TimeoutError)) {
      // What the server answered, if it did, may be told after what became of it.
      if (!visit.response) await delay(LATE_NEWS_MS, undefined, { signal: visit.signal });
      throw error;
    }
    if (!isThere) throw error;
    giveUpWaiting(
      visit,
      options,
      `The page did not reach ${options.wait_until} within ${Math.round(timeout)} ms.`,
    );
  }
}

/**
 * Answers the first document asked for with this HTML, before anything goes to the network: unlike a page written by
 * script it has an origin, its relative addresses lead to `base_url`, and its scripts run as on any page.
 */
async function answerWith(visit: Visit, html: string): Promise<void> {
  const { cdp } = visit;
  cdp.once('Fetch.requestPaused', ({ requestId }) => {
    const answered = cdp.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: 200,
      responseHeaders: [{ name: 'content-type', value: 'text/html; charset=utf-8' }],
      body: Buffer.from(html, 'utf8').toString('base64'),
    });
    // A page that is gone needs no answer; why it went is known elsewhere.
    void Promise.all([answered, cdp.send('Fetch.disable')]).catch(() => undefined);
  });
  await cdp.send('Fetch.enable', { patterns: [{ urlPattern: '*', resourceType: 'Document' }] });
}
