import { AppError, type BoundedText } from '@app/kernel';
import type { Format } from './formats.js';

/** What a visit of a page found; stored with the job and shown in its record. */
export interface CaptureFacts {
  /** Null for an `html` target. */
  finalUrl: BoundedText<'url'> | null;
  httpStatus: number | null;
  title: BoundedText<'title'> | null;
  /** Of the file: CSS px × scale for images (that is, device px), null for PDF. */
  width: number | null;
  height: number | null;
  /** Number of pages of a PDF; null for images. */
  pages: number | null;
  /** Full height of the page in CSS px. */
  pageHeight: number | null;
  /** The page was higher or wider than what was captured of it. */
  truncated: boolean;
  /**
   * False when a wait ran out and `on_timeout` is `capture`, and when what the capture set off in the page, by a click or by
   * walking down it, had not come in time.
   */
  complete: boolean;
  /** Requests dropped by an option or by the egress guard. */
  blockedRequests: number;
  failedRequests: number;
}

/** The facts of a visit that has not begun. */
export function noFacts(): CaptureFacts {
  return {
    finalUrl: null,
    httpStatus: null,
    title: null,
    width: null,
    height: null,
    pages: null,
    pageHeight: null,
    truncated: false,
    complete: true,
    blockedRequests: 0,
    failedRequests: 0,
  };
}

/**
 * Time in ms of each phase, 0 for a phase that was not reached; `queue`, `store` and `total` are added by the caller of
 * the engine.
 */
export interface CaptureTimings {
  queue_ms: number;
  prepare_ms: number;
  navigate_ms: number;
  settle_ms: number;
  render_ms: number;
  store_ms: number;
  total_ms: number;
}

export type EngineTimings = Pick<CaptureTimings, 'prepare_ms' | 'navigate_ms' | 'settle_ms' | 'render_ms'>;

/** One capture as the engine hands it over. */
export interface Captured {
  readonly format: Format;
  readonly bytes: Uint8Array;
  readonly facts: CaptureFacts;
  readonly timings: EngineTimings;
  readonly traffic: CaptureTraffic;
}

/** What a failed capture still says of its page; there is no file, and nobody knows how complete the page was. */
export type FailedFacts = Pick<
  CaptureFacts,
  'finalUrl' | 'httpStatus' | 'title' | 'pageHeight' | 'blockedRequests' | 'failedRequests'
>;

/** Those of these facts that hold although there is no file. */
export function withoutFile(facts: CaptureFacts): FailedFacts {
  const { finalUrl, httpStatus, title, pageHeight, blockedRequests, failedRequests } = facts;
  return { finalUrl, httpStatus, title, pageHeight, blockedRequests, failedRequests };
}

/** What is known of a page that no capture has reached. */
export const NOTHING_LEARNT: FailedFacts = withoutFile(noFacts());

/** What was learnt of a capture before it failed. */
export interface Learnt {
  readonly facts: FailedFacts;
  readonly timings: EngineTimings;
}

/** The error that a capture failed with, and what was learnt before. */
export class CaptureFailure extends AppError {
  constructor(
    error: AppError,
    readonly learnt: Learnt,
  ) {
    super(error.code, error.facts);
    // The log shows where the error arose, not where it was wrapped.
    if (error.stack !== undefined) this.stack = error.stack;
  }
}

/** What a capture exchanged with the network, for the log. */
export interface CaptureTraffic {
  /** Tunnels and plain requests. */
  readonly requests: number;
  /** On the wire, in both directions. */
  readonly bytes: number;
}
