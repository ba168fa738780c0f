import type { HTTPResponse } from 'puppeteer';
import { withTimeout, type AppError } from '@app/kernel';
import { documentUrl } from '../record/document.js';
import { withoutFile, type CaptureFacts, type FailedFacts } from '../record/facts.js';
import type { Visit } from '../pipeline/family.js';
import { inPage, type SafeAccess } from '../pipeline/in-page.js';
import { readShown, redirectsTo, titleOf, withoutHash, type HistoryEntry } from './visit.js';

/** A working browser responds at once, whatever the page does; one that does not is about to be killed. */
const RESPONSE_MS = 250;

/** The facts known when `error` ended the capture. Never rejects. */
export async function failedFacts(visit: Visit, error: AppError): Promise<FailedFacts> {
  const facts = withoutFile(visit.facts);
  // The target of a redirect to a forbidden address must not be revealed.
  if (error.code === 'target_forbidden') return facts;
  const shown = await withTimeout(readTitled(visit), RESPONSE_MS, 'reading the page').catch(() => undefined);
  if (visit.target === null) return { ...facts, title: titleOf(shown) };
  return { ...facts, ...(shownDocument(visit, shown) ?? requestedDocument(visit, visit.target)) };
}

/** The browser reports a title a moment after the page has set it, and the capture may fail in between. */
async function readTitled(visit: Visit): Promise<HistoryEntry | undefined> {
  const shown = await readShown(visit);
  if (shown?.title !== '') return shown;
  const reading = inPage(visit, readTitle, null);
  const title = await withTimeout(reading, RESPONSE_MS / 2, 'reading the title').catch(() => '');
  return { ...shown, title };
}

/** Runs in the page. The title of Chromium's own error page is not the target's. */
function readTitle(_: null, safe: SafeAccess): string {
  const page = safe(document);
  return page.URL.startsWith('chrome-error:') ? '' : page.title;
}

type DocumentFacts = Pick<CaptureFacts, 'finalUrl' | 'redirects' | 'httpStatus' | 'title'>;

/** The document that the page shows; undefined when it is not the target's response. */
function shownDocument({ response }: Visit, shown: HistoryEntry | undefined): DocumentFacts | undefined {
  if (!response || !shown || withoutHash(shown.url) !== withoutHash(response.url())) return undefined;
  return {
    finalUrl: documentUrl(shown.url),
    redirects: redirectsTo(response.request()),
    httpStatus: statusOf(response),
    title: titleOf(shown),
  };
}

/** The document that was requested last, and did not respond or responded with something other than a page. */
function requestedDocument({ response, requested, documentRequest }: Visit, target: URL): DocumentFacts {
  const url = requested ?? target.href;
  const hasAnswered = response !== null && withoutHash(response.url()) === withoutHash(url);
  const wasRedirected = withoutHash(url) !== withoutHash(target.href);
  return {
    finalUrl: hasAnswered || wasRedirected ? documentUrl(url) : null,
    redirects: redirectsTo(documentRequest),
    httpStatus: hasAnswered ? statusOf(response) : null,
    title: null,
  };
}

/** Chromium accepts any number as a status; a record holds three digits. */
function statusOf(response: HTTPResponse): number | null {
  const status = response.status();
  return status >= 100 && status <= 999 ? status : null;
}
