import type { BoundedText } from '@app/kernel';
import {
  nothingBlocked,
  nothingMissing,
  type BlockedRequests,
  type ConsentReport,
  type OverlayReport,
  type IncompleteReason,
  type MissingReport,
  type PageMetadata,
  type ReadinessReport,
  type StableReport,
  type Verdict,
} from './page-reports.js';

/** What the record of a capture says about its file. Null where the format has no such thing. */
export interface FileFacts {
  /** Size of a picture in device px. */
  width: number | null;
  height: number | null;
  /** Number of pages of a PDF. */
  pages: number | null;
  /** The page was higher or wider than the picture of it. */
  truncated: boolean;
  /** What a text is made of; null for other formats, and for the text of a `selector`. */
  content: 'main' | 'full' | null;
  /** Null when `stable` is off. */
  stable: StableReport | null;
}

/** What a visit finds out about a page; stored with the job and shown in its record. */
export interface CaptureFacts extends FileFacts {
  /** Null for an `html` target. */
  finalUrl: BoundedText<'url'> | null;
  httpStatus: number | null;
  title: BoundedText<'title'> | null;
  /** Full height of the page in CSS px. */
  pageHeight: number | null;
  /**
   * False when a wait timed out and `on_timeout` is `capture`, and when something that a click, `js` or scrolling
   * requested did not arrive in time. Set by `markIncomplete`.
   */
  complete: boolean;
  missing: MissingReport;
  /** Requests dropped by an option or by the egress guard. */
  blocked: BlockedRequests;
  failedRequests: number;
  /** Each report is null when its option is off. */
  consent: ConsentReport | null;
  /** What `block_annoyances` closed or hid. */
  overlays: readonly OverlayReport[] | null;
  readiness: ReadinessReport | null;
  /** Null until the page has been judged. */
  verdict: Verdict | null;
  /** Null when `metadata` is off. */
  page: PageMetadata | null;
}

/** The facts of a file of which nothing is known. */
export function noFileFacts(): FileFacts {
  return { width: null, height: null, pages: null, truncated: false, content: null, stable: null };
}

/** The facts of a visit that has not begun. */
export function noFacts(): CaptureFacts {
  return {
    finalUrl: null,
    httpStatus: null,
    title: null,
    ...noFileFacts(),
    pageHeight: null,
    complete: true,
    missing: nothingMissing(),
    blocked: nothingBlocked(),
    failedRequests: 0,
    consent: null,
    overlays: null,
    readiness: null,
    verdict: null,
    page: null,
  };
}

/** Notes that the file lacks something that the page would have shown, and why. */
export function markIncomplete(facts: CaptureFacts, reason: IncompleteReason): void {
  facts.complete = false;
  facts.missing.reasons = [...new Set([...facts.missing.reasons, reason])];
}

/**
 * Notes how many sections of the page were never revealed, so that the file shows nothing in their place. To be called at most
 * once for a page; 0 changes nothing.
 */
export function noteSections(facts: CaptureFacts, sections: number): void {
  facts.missing.sections = sections;
  if (sections > 0) markIncomplete(facts, 'sections_not_revealed');
}

/** The facts that a failed capture reports: it has no file, and its page may be incomplete in any way. */
export type FailedFacts = Omit<CaptureFacts, keyof FileFacts | 'complete' | 'missing' | 'page'>;

/** The facts that hold even though there is no file. */
export function withoutFile(facts: CaptureFacts): FailedFacts {
  const { finalUrl, httpStatus, title, pageHeight, blocked, failedRequests } = facts;
  const { consent, overlays, readiness, verdict } = facts;
  const reports = { consent, overlays, readiness, verdict };
  return { finalUrl, httpStatus, title, pageHeight, blocked, failedRequests, ...reports };
}

/** The facts of a capture that failed before it reached its page. */
export const NO_FACTS: FailedFacts = withoutFile(noFacts());
