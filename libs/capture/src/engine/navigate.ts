import { setTimeout as delay } from 'node:timers/promises';
import { TimeoutError } from 'puppeteer';
import { AppError } from '@app/kernel';
import type { CaptureOptions } from '../request/capture-options.js';
import { emulateMedia } from '../options/emulation.js';
import { NOWHERE } from '../options/target.js';
import { onWaitTimeout, waitBudgetMs } from '../options/waiting.js';
import type { Visit } from '../pipeline/family.js';
import { LOAD_HANGS_MS } from '../readiness/page-probe.js';
import { NETWORK_IDLE } from '../readiness/idle.js';
import { isAborted } from './translate-error.js';

/** Interval and number of looks for a response that is reported after the navigation failed. */
const LATE_RESPONSE_MS = 50;
const MAX_LATE_LOOKS = 10;

/** Navigates the page to its target and waits for `wait_until`. */
export async function navigate(visit: Visit, options: CaptureOptions): Promise<void> {
  if (options.html !== undefined) await fulfillWith(visit, options, options.html);
  await visit.proxyAuthentication.authenticateWithDocument();
  const budgetMs = waitBudgetMs(visit, options);
  const { navigation_timeout_ms: own, timeout_ms: whole } = options;
  const timeout = Math.min(own, budgetMs);
  const limit = own <= budgetMs ? `navigation_timeout_ms (${own})` : `timeout_ms (${whole})`;
  try {
    await load(visit, options, performance.now() + timeout);
  } catch (error) {
    if (!(error instanceof TimeoutError)) {
      if (isAborted(error)) await waitForLateResponse(visit);
      throw error;
    }
    // Without a response there is nothing to capture.
    if (visit.target !== null && visit.response === null) {
      const detail = `The target did not answer within ${limit}.`;
      throw new AppError('capture_timeout', { detail, cause: error });
    }
    // The navigation ends with the load; `waitAfterLoad` has a time of its own.
    const moment = options.wait_until === 'auto' ? 'load' : options.wait_until;
    onWaitTimeout(visit, options, `The page did not reach ${moment} within ${limit}.`);
  }
}

async function load(visit: Visit, options: CaptureOptions, until: number): Promise<void> {
  if (options.wait_until === 'auto') return loadUnlessHanging(visit, options, until);
  const { page } = visit;
  // 0 would mean no timeout.
  const timeout = (): number => Math.max(1, Math.round(until - performance.now()));
  await page.goto(addressOf(visit, options), {
    waitUntil: options.wait_until === 'domcontentloaded' ? 'domcontentloaded' : 'load',
    timeout: timeout(),
  });
  if (options.wait_until === 'networkidle') {
    // Not `networkidle0` of the navigation: Chromium reports it at most once, and never for an `html` target.
    await page.waitForNetworkIdle({ ...NETWORK_IDLE, timeout: timeout() });
  }
}

function addressOf({ target }: Visit, options: CaptureOptions): string {
  return target?.href ?? options.base_url ?? NOWHERE;
}

/** Waits for the load, or for a while after DOMContentLoaded when the load hangs. `waitAfterLoad` does the rest of `auto`. */
async function loadUnlessHanging(visit: Visit, options: CaptureOptions, until: number): Promise<void> {
  const { page } = visit;
  const hangs = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  // A page may navigate by itself while it loads, so that each document has the time.
  const onParsed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(hangs.resolve, LOAD_HANGS_MS);
  };
  page.on('domcontentloaded', onParsed);
  try {
    const timeout = Math.max(1, Math.round(until - performance.now()));
    const loaded = page.goto(addressOf(visit, options), { waitUntil: 'load', timeout });
    // It fails after a load that hangs, when nothing awaits it any more.
    loaded.catch(() => undefined);
    await Promise.race([loaded, hangs.promise]);
  } finally {
    page.off('domcontentloaded', onParsed);
    clearTimeout(timer);
  }
}

/** The status decides which error the failure is, and Puppeteer may report the response after the failure. */
async function waitForLateResponse(visit: Visit): Promise<void> {
  for (let looks = 0; looks < MAX_LATE_LOOKS; looks += 1) {
    if (visit.response && !isRedirect(visit.response.status())) return;
    await delay(LATE_RESPONSE_MS, undefined, { signal: visit.signal });
  }
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/**
 * Fulfills the request for the first document with this HTML, before it goes to the network. Unlike a page written by script,
 * the document has an origin, its relative URLs lead to `base_url`, and its scripts run as on any page. The session is its own,
 * because options pause requests in that of the visit.
 */
async function fulfillWith(visit: Visit, options: CaptureOptions, html: string): Promise<void> {
  await visit.proxyAuthentication.authenticate();
  const cdp = await visit.page.createCDPSession();
  await emulateMedia({ cdp }, options);
  cdp.once('Fetch.requestPaused', ({ requestId }) => {
    const fulfilled = cdp.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: 200,
      responseHeaders: [{ name: 'content-type', value: 'text/html; charset=utf-8' }],
      body: Buffer.from(html, 'utf8').toString('base64'),
    });
    // A page that is gone needs no response; its failure is reported elsewhere.
    void Promise.all([fulfilled, cdp.send('Fetch.disable')]).catch(() => undefined);
  });
  await cdp.send('Fetch.enable', { patterns: [{ urlPattern: '*', resourceType: 'Document' }] });
}
