import type { HTTPResponse, Protocol } from 'puppeteer';
import type { PageLease } from '@app/browser';
import { boundText } from '@app/kernel';
import { noFacts, type CaptureFacts } from '../facts.js';
import type { CaptureOptions } from '../options/index.js';
import type { Visit } from '../pipeline/family.js';
import type { Stopwatch } from './stopwatch.js';

/** The visit of a leased page, for these options. */
export function openVisit(
  { page, context, cdp, egress, reportContexts, setUserAgent }: PageLease,
  options: CaptureOptions,
  { signal, stopwatch }: { signal: AbortSignal; stopwatch: Stopwatch },
): Visit {
  const visit: Visit = {
    page,
    context,
    cdp,
    reportContexts,
    setUserAgent,
    target: options.url === undefined ? null : new URL(options.url),
    signal,
    remainingMs: () => Math.max(0, options.timeout_ms - stopwatch.elapsedMs()),
    facts: noFacts(),
    response: null,
    netErrorOf: (url) => {
      const parsed = URL.parse(url);
      return parsed ? egress.netErrorOf(parsed) : undefined;
    },
  };
  if (visit.target) followResponses(visit);
  return visit;
}

/**
 * Keeps the response of the document that the page shows: after a redirect by script it is the later one. What came
 * for a download, or without content, replaces nothing.
 */
function followResponses(visit: Visit): void {
  const { page } = visit;
  let latest: HTTPResponse | null = null;
  // The response may be told before the page is there, or after it.
  const take = (): void => {
    const isShown = latest !== null && withoutHash(latest.url()) === withoutHash(page.url());
    if (visit.response === null || isShown) visit.response = latest;
  };
  page.on('response', (response) => {
    if (!response.request().isNavigationRequest() || response.frame() !== page.mainFrame()) return;
    latest = response;
    take();
  });
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame()) take();
  });
}

export function withoutHash(url: string): string {
  return url.split('#', 1)[0] ?? url;
}

/** What can be said of the page only after everything happened to it. */
export async function closeFacts(visit: Visit): Promise<CaptureFacts> {
  const shown = await readShown(visit);
  return {
    ...visit.facts,
    title: titleOf(shown),
    ...(visit.target && {
      finalUrl: boundText('url', shown?.url ?? visit.page.url()),
      httpStatus: visit.response?.status() ?? null,
    }),
  };
}

export type HistoryEntry = Protocol.Page.NavigationEntry;

/** What the page shows, by the browser's own word. */
export async function readShown({ cdp }: Pick<Visit, 'cdp'>): Promise<HistoryEntry | undefined> {
  const { currentIndex, entries } = await cdp.send('Page.getNavigationHistory');
  return entries[currentIndex];
}

export function titleOf(shown: Pick<HistoryEntry, 'title'> | undefined): CaptureFacts['title'] {
  return shown === undefined || shown.title === '' ? null : boundText('title', shown.title);
}
