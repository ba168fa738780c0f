import type { CaptureError } from './capture-error.js';
import { onAbort } from './on-abort.js';

/** The first pause, which doubles with each attempt. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

/** A service that asks for more than that is not waited for: the caller has better things to do. */
const MAX_RETRY_AFTER_MS = 60_000;

/** Failures of the page or of the browser, which another capture may not meet. */
const FAILURES_OF_A_CAPTURE: readonly string[] = ['target_connection_failed', 'browser_crashed'];

/** What a request is, as far as repeating it depends on that. */
export interface RetryTerms {
  readonly method: string;
  readonly retries: number;
  /** How long the first request with the same Idempotency-Key may be in progress. */
  readonly timeoutMs: number;
  /** The caller's own key, which the client must not replace. */
  readonly idempotencyKey?: string | undefined;
}

/**
 * Decides whether and when a request is repeated, and with which Idempotency-Key.
 *
 * The key stays while the outcome is unknown (a cut connection), or while nothing was executed (429, 503): the service
 * then executes the request once, however often it arrives. A capture that was executed and failed is kept with its key, and
 * the service would repeat the failure: it gets a new key.
 */
export class RetryPlan {
  private attempts = 0;
  private inFlightSince: number | undefined;
  private key: string | undefined;

  constructor(private readonly terms: RetryTerms) {
    this.key = terms.idempotencyKey ?? (terms.method === 'POST' ? newKey() : undefined);
  }

  get idempotencyKey(): string | undefined {
    return this.key;
  }

  /** Time in ms until the next attempt; undefined when the error is final. */
  nextPauseMs(error: CaptureError): number | undefined {
    // A job may need hours: `jobs.wait` is for that.
    if (!error.retryable || error.code === 'job_not_finished') return undefined;
    if (error.code === 'idempotency_in_flight') return this.pauseInFlightMs(error);
    if (hasRun(error) && !this.renewKey()) return undefined;
    if (this.attempts >= this.terms.retries) return undefined;
    return pauseMs(this.attempts++, error);
  }

  /** An earlier attempt whose connection was lost is still executed: its answer comes soon, and no attempt is spent. */
  private pauseInFlightMs(error: CaptureError): number | undefined {
    if (this.terms.retries === 0) return undefined;
    this.inFlightSince ??= Date.now();
    const isOver = Date.now() - this.inFlightSince > this.terms.timeoutMs;
    return isOver ? undefined : pauseMs(0, error);
  }

  private renewKey(): boolean {
    if (this.terms.method !== 'POST' || this.terms.idempotencyKey !== undefined) return false;
    this.key = newKey();
    return true;
  }
}

/**
 * Time in ms before the next attempt, with a random part, so that many clients do not return at once.
 *
 * @param attempts failed ones before this one; undefined if the service asks for a longer pause than a caller would wait
 */
export function pauseMs(attempts: number, { retryAfterMs }: { readonly retryAfterMs?: number | undefined }) {
  if (retryAfterMs !== undefined) return retryAfterMs > MAX_RETRY_AFTER_MS ? undefined : retryAfterMs;
  return Math.min(FIRST_PAUSE_MS * 2 ** attempts, MAX_PAUSE_MS) * (0.5 + Math.random() / 2);
}

/** Whether the service executed the capture: a file that could not be read afterwards is read again with the same key. */
function hasRun({ captureId, code, problem }: CaptureError): boolean {
  const isOfTheCapture = problem?.phase !== undefined || FAILURES_OF_A_CAPTURE.includes(code);
  return captureId !== undefined && isOfTheCapture;
}

/** `crypto.randomUUID` is missing in pages that were loaded without TLS. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** @throws the reason of the signal when it aborts */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(() => {
      forgetCaller();
      resolve();
    }, ms);
    const forgetCaller = onAbort(signal, () => {
      clearTimeout(timer);
      reject(signal?.reason);
    });
  });
}
