import type { HTTPResponse } from 'puppeteer';
import { boundText, withTimeout, type AppError } from '@app/kernel';
import { withoutFile, type CaptureFacts, type FailedFacts } from '../facts.js';
import type { Visit } from '../pipeline/family.js';
import { inPage, type SafeAccess } from '../pipeline/in-page.js';
import { readShown, titleOf, withoutHash, type HistoryEntry } from './visit.js';

/** The browser answers at once, whatever the page does; one that does not is about to be killed. */
const ANSWER_MS = 250;

/** What was learnt of the page before `error` ended its capture. Never rejects. */
export async function failedFacts(visit: Visit, error: AppError): Promise<FailedFacts> {
  const facts = withoutFile(visit.facts);
  // Where a redirect led must not be said when it led to a forbidden address.
  if (error.code === 'target_forbidden') return facts;
  const shown = await withTimeout(readTitled(visit), ANSWER_MS, 'reading the page').catch(() => undefined);
  if (visit.target === null) return { ...facts, title: titleOf(shown) };
  return { ...facts, ...(documentShown(visit, shown) ?? documentAskedFor(visit, visit.target)) };
}

/** The browser learns a title a moment after the page has it, and a capture may fail in between. */
async function readTitled(visit: Visit): Promise<HistoryEntry | undefined> {
  const shown = await readShown(visit);
  if (shown?.title !== '') return shown;
  const reading = inPage(visit, readTitle, null);
  const title = await withTimeout(reading, ANSWER_MS / 2, 'reading the title').catch(() => '');
  return { ...shown, title };
}

/** Runs in the page. Chromium gives its own error page a title, which is none of the target's. */
function readTitle(_: null, safe: SafeAccess): string {
  const page = safe(document);
  return page.URL.startsWith('chrome-error:') ? '' : page.title;
}

type DocumentFacts = Pick<CaptureFacts, 'finalUrl' | 'httpStatus' | 'title'>;

/** The document that the page shows; undefined when it shows none that the target answered with. */
function documentShown({ response }: Visit, shown: HistoryEntry | undefined): DocumentFacts | undefined {
  if (!response || !shown || withoutHash(shown.url) !== withoutHash(response.url())) return undefined;
  return { finalUrl: boundText('url', shown.url), httpStatus: statusOf(response), title: titleOf(shown) };
}

/** The document that was asked for last: it did not answer, or not with a page. */
function documentAskedFor({ response, requested }: Visit, target: URL): DocumentFacts {
  const url = requested ?? target.href;
  const hasAnswered = response !== null && withoutHash(response.url()) === withoutHash(url);
  const wasRedirected = withoutHash(url) !== withoutHash(target.href);
  return {
    finalUrl: hasAnswered || wasRedirected ? boundText('url', url) : null,
    httpStatus: hasAnswered ? statusOf(response) : null,
    title: null,
  };
}

/** Chromium takes any number for a status; a record has room for three digits. */
function statusOf(response: HTTPResponse): number | null {
  const status = response.status();
  return status >= 100 && status <= 999 ? status : null;
}
