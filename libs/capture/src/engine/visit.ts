import type { HTTPRequest, HTTPResponse, Protocol } from 'puppeteer';
import type { PageLease } from '@app/browser';
import type { FilterSet } from '@app/filters';
import { boundText } from '@app/kernel';
import type { SessionUse, StorageFill } from '../pipeline/browser-state.js';
import { documentUrl, MAX_REDIRECTS } from '../record/document.js';
import { noFacts, type CaptureFacts } from '../record/facts.js';
import type { CaptureOptions } from '../request/capture-options.js';
import { windowOf } from '../options/viewport.js';
import { FrameLoads } from '../pipeline/frame-loads.js';
import type { Visit } from '../pipeline/family.js';
import { FrameSessions } from '../pipeline/frame-sessions.js';
import type { Stopwatch } from './stopwatch.js';

export interface VisitParts {
  readonly signal: AbortSignal;
  readonly stopwatch: Stopwatch;
  readonly parts: { readonly filters: () => FilterSet };
  readonly session: SessionUse | undefined;
  readonly storageFill: StorageFill | undefined;
}

/**
 * The visit as work sees it that must end once it is superseded, because the page has navigated: its signal aborts then. What
 * the work sets does not change the visit itself, except for what is shared, such as `facts`.
 */
export function visitUntil(visit: Visit, superseded: AbortSignal): Visit {
  const signal = AbortSignal.any([visit.signal, superseded]);
  return Object.create(visit, { signal: { value: signal } }) as Visit;
}

/** Starts a visit on a leased page. */
export function openVisit(
  { page, context, cdp, egress, reportContexts, proxyAuthentication, ...lease }: PageLease,
  options: CaptureOptions,
  { signal, stopwatch, parts, session, storageFill }: VisitParts,
): Visit {
  const visit: Visit = {
    page,
    mainFrame: page.mainFrame(),
    isolatedWorld: {},
    context,
    cdp,
    frameSessions: new FrameSessions({ page, cdp, isSharedWorker: lease.isSharedWorker }),
    reportContexts,
    proxyAuthentication,
    setUserAgent: lease.setUserAgent,
    answerNextDialog: lease.answerNextDialog,
    ...windowOf(options),
    making: {},
    target: options.url === undefined ? null : new URL(options.url),
    signal,
    session,
    storageFill,
    remainingMs: () => Math.max(0, options.timeout_ms - stopwatch.elapsedMs()),
    facts: noFacts(),
    frameLoads: new FrameLoads(),
    response: null,
    filters: parts.filters(),
    hiddenKinds: [],
    cleaners: [],
    screenHosts: (isScreened) => {
      egress.screen(isScreened);
    },
    netErrorOf: (url) => netErrorOf(egress, url),
  };
  page.on('framenavigated', (frame) => {
    if (frame === visit.mainFrame) visit.isolatedWorld.contextId = undefined;
  });
  if (visit.target) followResponses(visit);
  return visit;
}

function netErrorOf(egress: Pick<PageLease['egress'], 'netErrorOf'>, url: string): string | undefined {
  const parsed = URL.parse(url);
  return parsed ? egress.netErrorOf(parsed) : undefined;
}

/**
 * Keeps `visit.response` the response of the document that the page shows, also after a redirect by script. A download or a
 * response without content does not replace it.
 */
function followResponses(visit: Visit): void {
  const { page } = visit;
  let latest: HTTPResponse | null = null;
  // The response may be reported before or after the page has navigated.
  const takeLatest = (): void => {
    const isShown = latest !== null && withoutHash(latest.url()) === withoutHash(page.url());
    if (visit.response === null || isShown) visit.response = latest;
  };
  page.on('response', (response) => {
    if (!response.request().isNavigationRequest() || response.frame() !== page.mainFrame()) return;
    latest = response;
    takeLatest();
  });
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame()) takeLatest();
  });
}

export function withoutHash(url: string): string {
  return url.split('#', 1)[0] ?? url;
}

/** Completes the facts that are known only at the end of the visit. */
export async function closeFacts(visit: Visit): Promise<CaptureFacts> {
  const shown = await readShown(visit);
  return {
    ...visit.facts,
    title: titleOf(shown),
    ...(visit.target && {
      finalUrl: documentUrl(shown?.url ?? visit.page.url()),
      redirects: redirectsTo(visit.response?.request()),
      httpStatus: visit.response?.status() ?? null,
    }),
  };
}

/** The redirects before this request, of which Puppeteer has a list that all of them share. */
export function redirectsTo(request: HTTPRequest | undefined): CaptureFacts['redirects'] {
  const responses = request?.redirectChain().flatMap((hop) => hop.response() ?? []) ?? [];
  return responses
    .slice(0, MAX_REDIRECTS)
    .map((response) => ({ url: documentUrl(response.request().url()), status: response.status() }));
}

export type HistoryEntry = Protocol.Page.NavigationEntry;

/** The current entry of the browser's navigation history. */
export async function readShown({ cdp }: Pick<Visit, 'cdp'>): Promise<HistoryEntry | undefined> {
  const { currentIndex, entries } = await cdp.send('Page.getNavigationHistory');
  return entries[currentIndex];
}

export function titleOf(shown: Pick<HistoryEntry, 'title'> | undefined): CaptureFacts['title'] {
  return shown === undefined || shown.title === '' ? null : boundText('title', shown.title);
}
