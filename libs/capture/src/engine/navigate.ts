import { setTimeout as delay } from 'node:timers/promises';
import { TimeoutError } from 'puppeteer';
import { AppError } from '@app/kernel';
import type { CaptureOptions } from '../options/index.js';
import { onWaitTimeout, waitBudgetMs } from '../options/waiting.js';
import type { Visit } from '../pipeline/family.js';
import { NETWORK_IDLE } from '../pipeline/idle.js';
import { isAborted } from './translate-error.js';

/** Where `html` without a base_url lives: a name that never resolves, so that nothing relative leads anywhere. */
const NOWHERE = 'http://html.invalid/';

/** How long, and how often, a response is waited for after the navigation that it ended. */
const LATE_RESPONSE_MS = 50;
const MAX_LATE_LOOKS = 10;

/** Brings the page to its target and to the moment of `wait_until`. */
export async function navigate(visit: Visit, options: CaptureOptions): Promise<void> {
  if (options.html !== undefined) await answerWith(visit, options.html);
  const patience = waitBudgetMs(visit, options);
  const { navigation_timeout_ms: own, timeout_ms: whole } = options;
  const timeout = Math.min(own, patience);
  const limit = own <= patience ? `navigation_timeout_ms (${own})` : `timeout_ms (${whole})`;
  try {
    await load(visit, options, performance.now() + timeout);
  } catch (error) {
    if (!(error instanceof TimeoutError)) {
      if (isAborted(error)) await lateResponse(visit);
      throw error;
    }
    // Of a target that has not answered there is nothing to capture.
    if (visit.target !== null && visit.response === null) {
      const detail = `The target did not answer within ${limit}.`;
      throw new AppError('capture_timeout', { detail, cause: error });
    }
    onWaitTimeout(visit, options, `The page did not reach ${options.wait_until} within ${limit}.`);
  }
}

/** What `auto` waits for beyond the load comes later, in bounded time. */
async function load({ page, target }: Visit, options: CaptureOptions, until: number): Promise<void> {
  // 0 would mean no limit.
  const timeout = (): number => Math.max(1, Math.round(until - performance.now()));
  await page.goto(target?.href ?? options.base_url ?? NOWHERE, {
    waitUntil: options.wait_until === 'domcontentloaded' ? 'domcontentloaded' : 'load',
    timeout: timeout(),
  });
  if (options.wait_until === 'networkidle') {
    // Not `networkidle0` of the navigation: Chromium tells it once at most, and of an `html` target never.
    await page.waitForNetworkIdle({ ...NETWORK_IDLE, timeout: timeout() });
  }
}

/** The status of a response that was not shown decides what the failure is, and Puppeteer may report it after the failure. */
async function lateResponse(visit: Visit): Promise<void> {
  for (let looks = 0; looks < MAX_LATE_LOOKS; looks += 1) {
    if (visit.response && !isRedirect(visit.response.status())) return;
    await delay(LATE_RESPONSE_MS, undefined, { signal: visit.signal });
  }
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
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
