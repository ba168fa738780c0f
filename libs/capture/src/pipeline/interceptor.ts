import type { HTTPRequest } from 'puppeteer';
import { isRefusal } from '@app/outbound';
import type { Judge, RequestVerdict, Visit } from './family.js';
import { idOf } from './request-origins.js';

/** The error of a request that an option blocked; it ends in `.Inspector`. */
const BLOCKED = 'net::ERR_BLOCKED_BY_CLIENT';

/**
 * Counts the failed requests of a page and follows its documents. When there are judges, it intercepts each request and carries
 * out their verdicts. Interception costs a round trip per request, so it is off without a judge.
 */
export async function watchRequests(visit: Visit, judges: readonly Judge[]): Promise<void> {
  if (judges.length > 0) await visit.proxyAuthentication.authenticate();
  followDocument(visit);
  followActivity(visit);
  followFrames(visit);
  visit.page.on('requestfailed', (request) => {
    // A request that the page itself canceled, by navigating or seeking in a video, did not fail.
    const reason = request.failure()?.errorText;
    if (reason?.startsWith(BLOCKED)) visit.frameLoads.block(request);
    if (reason === 'net::ERR_ABORTED' || reason?.startsWith(BLOCKED)) return;
    if (isDocument(visit, request)) recordCutOff(visit, request);
    // The egress proxy counts its own refusals, as blocked requests.
    if (!isRefusal(visit.netErrorOf(request.url()))) visit.facts.failedRequests += 1;
  });
  if (judges.length === 0) return;

  const decide = async (request: HTTPRequest): Promise<void> => {
    await carryOut(await merged(judges, request), request);
  };
  visit.page.on('request', (request) => {
    // A request whose page is gone needs no verdict.
    void decide(request).catch(() => undefined);
  });
  await visit.page.setRequestInterception(true);
}

/**
 * Keeps `visit.requested` and `visit.documentRequest` up to date. Puppeteer may report a redirect late, when it has all
 * headers; the browser reports it before the navigation ends.
 */
function followDocument(visit: Visit): void {
  let documentId: string | undefined;
  visit.page.on('request', (request) => {
    if (!isDocument(visit, request)) return;
    const isFirst = documentId === undefined;
    documentId = idOf(request);
    visit.requested = request.url();
    visit.documentRequest = request;
    if (!isFirst) return;
    request.client.on('Network.requestWillBeSent', (event) => {
      if (event.requestId === documentId) visit.requested = event.request.url;
    });
  });
}

function followActivity({ page, activity, openRequests }: Visit): void {
  if (!activity && !openRequests) return;
  const end = (request: HTTPRequest): void => {
    activity?.end(request);
    openRequests?.end(request);
  };
  page.on('request', (request) => {
    activity?.begin(request);
    openRequests?.begin(request);
  });
  page.on('response', (response) => {
    activity?.answer(response.request());
  });
  page.on('requestfinished', end);
  page.on('requestfailed', end);
}

/** Follows the documents of embedded frames. */
function followFrames(visit: Visit): void {
  const { page, frameLoads } = visit;
  const isOfFrame = (request: HTTPRequest): boolean =>
    request.isNavigationRequest() && request.frame() !== page.mainFrame();
  page.on('request', (request) => {
    if (isOfFrame(request)) frameLoads.begin(request);
  });
  page.on('response', (response) => {
    if (isOfFrame(response.request())) frameLoads.answer(response);
  });
  page.on('framenavigated', (frame) => {
    if (frame !== page.mainFrame()) frameLoads.navigate(frame);
  });
  page.on('requestfailed', (request) => {
    if (!isOfFrame(request)) return;
    // A frame that navigates elsewhere, or whose response is a download or empty, ends its request by itself.
    frameLoads.end(request, request.failure()?.errorText === 'net::ERR_ABORTED' ? 'loaded' : 'failed');
  });
}

/** A document that failed after it had responded was cut off. */
function recordCutOff(visit: Visit, request: HTTPRequest): void {
  const response = request.response();
  if (response) visit.broken = { response, reason: request.failure()?.errorText ?? 'net::ERR_FAILED' };
}

/** Whether this is the document of the page. */
export function isDocument(visit: Visit, request: HTTPRequest): boolean {
  return request.isNavigationRequest() && request.frame() === visit.page.mainFrame();
}

/** The verdict of all judges: one refuses for all; their headers are merged, and those of later families win. */
export async function merged(judges: readonly Judge[], request: HTTPRequest): Promise<RequestVerdict> {
  let headers: Record<string, string> | undefined;
  for (const verdict of await Promise.all(judges.map(async (judge) => judge(request)))) {
    if (verdict === 'refuse') return 'refuse';
    if (verdict !== 'pass') headers = { ...headers, ...verdict.headers };
  }
  return headers ? { headers } : 'pass';
}

async function carryOut(verdict: RequestVerdict, request: HTTPRequest): Promise<void> {
  if (verdict === 'pass') return request.continue();
  if (verdict === 'refuse') return request.abort('accessdenied');
  return request.continue({ headers: { ...request.headers(), ...lowerCased(verdict.headers) } });
}

/** Chromium reports header names in lower case; `X-A` and `x-a` would both be sent. */
function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
