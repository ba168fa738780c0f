import { boundText, type BoundedText } from '../text.js';
import { ERRORS, type ErrorCode } from './catalogue.js';

/** The phases of a capture, in order; the `phase` of an error is the one in which it happened. */
export const PHASES = ['queue', 'prepare', 'navigate', 'settle', 'render', 'store'] as const;
export type Phase = (typeof PHASES)[number];

/** One fault of a request: where it is, what it is, how to correct it. */
export interface Fault {
  /** JSON pointer (RFC 6901) into the body, or the name of a query parameter or header. */
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
  /** In a batch: the number of the row, from 1, not counting the header of a CSV. */
  readonly row?: number;
  /** In a batch: the column, or the field of the item. */
  readonly column?: string;
  /** In a CSV: the line of the file on which the row starts, from 1. */
  readonly line?: number;
}

/** What the page of a failed capture was judged as, and why. */
export interface PageVerdict {
  readonly kind: string;
  readonly evidence: readonly string[];
}

/** The public part of an error: the problem document without `status` and `request_id`. Only an AppError makes one. */
export interface ErrorBody {
  readonly type: string;
  readonly title: string;
  readonly code: ErrorCode;
  readonly detail: BoundedText<'message'>;
  readonly retryable: boolean;
  readonly net_error?: BoundedText<'message'>;
  readonly phase?: Phase;
  readonly elapsed_ms?: number;
  readonly errors?: readonly Fault[];
  readonly rows_checked?: number;
  readonly verdict?: PageVerdict;
  readonly retry_after_s?: number;
}

export interface AppErrorFacts {
  /** Sent to the client: never a stack, SQL, an internal address or a secret. */
  readonly detail?: string;
  readonly errors?: readonly Fault[];
  /** The rows of a batch that were checked, if the others were not because too many of these were bad. */
  readonly rowsChecked?: number;
  readonly netError?: string;
  readonly phase?: Phase;
  readonly elapsedMs?: number;
  /** The verdict that `fail_on_verdict` refuses. */
  readonly verdict?: PageVerdict;
  /** What the target asks for with its `Retry-After`, in seconds. */
  readonly targetRetryAfterS?: number;
  /** Sent as `Retry-After`, in seconds. */
  readonly retryAfterS?: number;
  /** Logged, and never sent to the client. */
  readonly cause?: unknown;
  /** The error was read from the record of a capture. */
  readonly isRecorded?: boolean;
}

/**
 * An expected failure with a code of the catalogue. Everything but its cause may reach the client. The default of its
 * detail is the catalogue's text for the code, which says more than the title.
 *
 * A detail may quote a page or a browser, so it is bounded here, before it reaches a record, a log or a response. Faults
 * quote only the caller, and only the names of fields.
 */
export class AppError extends Error {
  override readonly name = 'AppError';

  readonly facts: AppErrorFacts;

  constructor(
    readonly code: ErrorCode,
    facts: AppErrorFacts = {},
  ) {
    super(boundText('message', facts.detail ?? ERRORS[code].doc), { cause: facts.cause });
    this.facts = {
      ...facts,
      ...(facts.detail !== undefined && { detail: this.message }),
    };
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  get retryable(): boolean {
    return ERRORS[this.code].retryable;
  }

  /**
   * Whether the operator should look into it. A capture that exceeds its caller's timeout is no fault, and an error read
   * from a record was logged when it happened.
   */
  get isFault(): boolean {
    return this.status >= 500 && this.code !== 'capture_timeout' && this.facts.isRecorded !== true;
  }

  toBody(): ErrorBody {
    const { errors, rowsChecked, netError, phase, elapsedMs, verdict, targetRetryAfterS } = this.facts;
    return {
      type: `/docs/errors#${this.code}`,
      title: ERRORS[this.code].title,
      code: this.code,
      detail: boundText('message', this.message),
      retryable: this.retryable,
      ...(netError !== undefined && { net_error: boundText('message', netError) }),
      ...(phase !== undefined && { phase }),
      ...(elapsedMs !== undefined && { elapsed_ms: elapsedMs }),
      ...(errors !== undefined && { errors }),
      ...(rowsChecked !== undefined && { rows_checked: rowsChecked }),
      ...(verdict !== undefined && { verdict: { kind: verdict.kind, evidence: verdict.evidence } }),
      ...(targetRetryAfterS !== undefined && { retry_after_s: targetRetryAfterS }),
    };
  }

  /** Rebuilds the error of a stored record, so that the result of a failed job responds with the job's own error. */
  static fromBody(body: ErrorBody): AppError {
    return new AppError(body.code, {
      detail: body.detail,
      errors: body.errors,
      netError: body.net_error,
      phase: body.phase,
      elapsedMs: body.elapsed_ms,
      verdict: body.verdict,
      targetRetryAfterS: body.retry_after_s,
      isRecorded: true,
    });
  }

  /** Converts any thrown value to an AppError; an unexpected one becomes `internal`, and its message is not sent to the client. */
  static from(thrown: unknown): AppError {
    return thrown instanceof AppError
      ? thrown
      : new AppError('internal', { detail: 'An unexpected error happened.', cause: thrown });
  }
}

/** The process cannot start until the operator corrects something. The message says what; a stack would not help. */
export class StartupError extends Error {
  override readonly name: string = 'StartupError';
}
