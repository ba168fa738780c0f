import type { CaptureFailure, FieldError, Problem } from './generated/openapi/index.js';

/** The codes of the service; docs/errors.md explains each. */
export type ProblemCode = Problem['code'];

/**
 * The codes of the client itself:
 *
 * - `connection_failed`: there is no connection to the service, it was cut, or a proxy answered that the service is away.
 * - `timeout`: nothing arrived in time, or a wait took longer than its `timeoutMs`.
 * - `invalid_response`: the answer is not one of the service, such as the page of a proxy.
 * - `invalid_options`: the client was called with something that it cannot send.
 * - `save_failed`: a file could not be written to the disk.
 * - `webhook_invalid`: a webhook is forged, changed, or too old.
 */
export type ClientErrorCode =
  | 'connection_failed'
  | 'timeout'
  | 'invalid_response'
  | 'invalid_options'
  | 'save_failed'
  | 'webhook_invalid';

export type CaptureErrorCode = ProblemCode | ClientErrorCode;

interface CaptureErrorFacts {
  readonly code: CaptureErrorCode;
  readonly detail: string;
  readonly retryable?: boolean;
  readonly status?: number | undefined;
  readonly problem?: Problem | CaptureFailure | undefined;
  readonly requestId?: string | undefined;
  readonly captureId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** Why a call failed. The message is `detail`, and the faults in `errors`. */
export class CaptureError extends Error {
  override readonly name = 'CaptureError';
  readonly code: CaptureErrorCode;
  /** What failed and how to correct it. */
  readonly detail: string;
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean;
  /** The HTTP status; undefined without a response. */
  readonly status: number | undefined;
  /** The faults of the request by field, row and column. */
  readonly errors: readonly FieldError[];
  /** Identifies the request in the logs of the service. */
  readonly requestId: string | undefined;
  /** The capture that failed. */
  readonly captureId: string | undefined;
  /** How long the service asks to wait. */
  readonly retryAfterMs: number | undefined;
  /** What the service said: also `phase`, `net_error` and `verdict` where they apply. */
  readonly problem: Problem | CaptureFailure | undefined;

  constructor({ code, detail, retryable = false, status, problem, cause, ...ids }: CaptureErrorFacts) {
    const errors = problem?.errors ?? [];
    super(messageOf(detail, errors), { cause });
    this.code = code;
    this.detail = detail;
    this.retryable = retryable;
    this.status = status;
    this.errors = errors;
    this.requestId = ids.requestId;
    this.captureId = ids.captureId;
    this.retryAfterMs = ids.retryAfterMs;
    this.problem = problem;
  }

  /** The error of a capture that failed, from its record. */
  static ofCapture(failure: CaptureFailure, captureId: string): CaptureError {
    const { code, detail, retryable } = failure;
    return new CaptureError({ code, detail, retryable, problem: failure, captureId });
  }
}

/** A batch may have a thousand faults; the first ones say what is wrong. */
const MAX_TOLD = 5;

function messageOf(detail: string, errors: readonly FieldError[]): string {
  const told = errors.slice(0, MAX_TOLD).map(faultText);
  const others = errors.length - told.length;
  const news = told.filter((text) => !detail.includes(text));
  if (news.length === 0) return detail;
  return `${detail} ${news.join('; ')}${others > 0 ? `; and ${others} more` : ''}`;
}

function faultText({ pointer, detail, row, column }: FieldError): string {
  const field = column ?? pointer.replace(/^\//, '');
  return `${row === undefined ? '' : `row ${row}: `}${field === '' ? '' : `${field} `}${detail}`;
}
