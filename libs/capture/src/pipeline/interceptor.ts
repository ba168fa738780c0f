import type { HTTPRequest } from 'puppeteer';
import { isRefusal } from '@app/outbound';
import type { Judge, RequestVerdict, Visit } from './family.js';
import { idOf } from './request-origins.js';

/**
 * The only listener on a page's requests. Counts those that failed, and, when some family wants to judge them, stops
 * each and does what the strongest verdict says. Stopping costs a round trip a request: without a judge none is.
 */
export async function watchRequests(visit: Visit, judges: readonly Judge[]): Promise<void> {
  followDocument(visit);
  followActivity(visit);
  const dropped = new WeakSet<HTTPRequest>();
  visit.page.on('requestfailed', (request) => {
    // What the page itself gave up on (it navigated, it seeked in a video) did not fail.
    const canceled = request.failure()?.errorText === 'net::ERR_ABORTED';
    if (canceled || dropped.has(request)) return;
    if (isDocument(visit, request)) noteBroken(visit, request);
    // What the egress proxy refused counts as blocked, and it keeps that count.
    if (!isRefusal(visit.netErrorOf(request.url()))) visit.facts.failedRequests += 1;
  });
  if (judges.length === 0) return;

  const decide = async (request: HTTPRequest): Promise<void> => {
    const verdict = await strongest(judges, request, isDocument(visit, request));
    if (verdict === 'abort') {
      dropped.add(request);
      visit.facts.blockedRequests += 1;
    }
    await carryOut(verdict, request);
  };
  visit.page.on('request', (request) => {
    // A request whose page is gone cannot be answered any more, and need not be.
    void decide(request).catch(() => undefined);
  });
  await visit.page.setRequestInterception(true);
}

/**
 * Keeps the address of the page's document up to date. Puppeteer may hold back a redirect, and how it ended, until it has
 * all headers; the browser reports the redirect before the navigation ends.
 */
function followDocument(visit: Visit): void {
  let documentId: string | undefined;
  visit.page.on('request', (request) => {
    if (!isDocument(visit, request)) return;
    const isFirst = documentId === undefined;
    documentId = idOf(request);
    visit.requested = request.url();
    if (!isFirst) return;
    request.client.on('Network.requestWillBeSent', (event) => {
      if (event.requestId === documentId) visit.requested = event.request.url;
    });
  });
}

function followActivity({ page, activity }: Visit): void {
  if (!activity) return;
  const end = (request: HTTPRequest): void => {
    activity.end(request);
  };
  page.on('request', (request) => {
    activity.begin(request);
  });
  page.on('response', (response) => {
    activity.answer(response.request());
  });
  page.on('requestfinished', end);
  page.on('requestfailed', end);
}

/** A document that has answered and then failed broke off. */
function noteBroken(visit: Visit, request: HTTPRequest): void {
  const response = request.response();
  if (response) visit.broken = { response, reason: request.failure()?.errorText ?? 'net::ERR_FAILED' };
}

/** The document of the page: blocking is about what a page loads, never about the page. */
function isDocument(visit: Visit, request: HTTPRequest): boolean {
  return request.isNavigationRequest() && request.frame() === visit.page.mainFrame();
}

/**
 * `abort` before `headers` before `pass`; the headers of several verdicts are joined, a later family's win. The document
 * of the page is never aborted.
 */
export async function strongest(
  judges: readonly Judge[],
  request: HTTPRequest,
  isDocument = false,
): Promise<RequestVerdict> {
  let headers: Record<string, string> | undefined;
  for (const verdict of await Promise.all(judges.map(async (judge) => judge(request)))) {
    if (verdict === 'abort') {
      if (!isDocument) return 'abort';
    } else if (verdict !== 'pass') headers = { ...headers, ...verdict.headers };
  }
  return headers ? { headers } : 'pass';
}

async function carryOut(verdict: RequestVerdict, request: HTTPRequest): Promise<void> {
  if (verdict === 'abort') return request.abort('blockedbyclient');
  if (verdict === 'pass') return request.continue();
  return request.continue({ headers: { ...request.headers(), ...lowerCased(verdict.headers) } });
}

/** Chromium names a request's headers in lower case; `X-A` beside `x-a` would be sent twice. */
function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
