import { boundText, type BoundedText } from '../bounded-text.js';
import { ERRORS, type ErrorCode } from './catalogue.js';

/** The phases of a capture, in their order; `phase` of an error names the one it happened in. */
export const PHASES = ['queue', 'prepare', 'navigate', 'settle', 'render', 'store'] as const;
export type Phase = (typeof PHASES)[number];

/** One fault of a request: where it is, what it is, how to mend it. */
export interface Fault {
  /** JSON pointer (RFC 6901) into the body, or the name of a query parameter or header. */
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
  /** Of a batch: the number of the row, from 1, the header of a CSV not counted. */
  readonly row?: number;
  /** Of a batch: the column, or the field of the item. */
  readonly column?: string;
  /** Of a CSV: the line of the file that the row begins in, from 1. */
  readonly line?: number;
}

/** What a client may read of an error: the problem document without `status` and `request_id`. Only an AppError makes one. */
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
}

export interface AppErrorFacts {
  /** Client-readable: never a stack, SQL, an internal address or a secret. */
  readonly detail?: string;
  readonly errors?: readonly Fault[];
  readonly netError?: string;
  readonly phase?: Phase;
  readonly elapsedMs?: number;
  /** Seconds for `Retry-After`. */
  readonly retryAfterS?: number;
  /** For the log only. */
  readonly cause?: unknown;
  /** The error comes from the record of a capture. */
  readonly isRecorded?: boolean;
}

/**
 * An expected failure with a code of the catalogue. The cause is for the log; all else is for the client. Without a detail
 * of its own it says what the catalogue says of its code, which is more than the title.
 *
 * Its detail may quote a page or a browser, so it is bounded here, before it reaches a record, a log or an answer. Faults
 * quote the caller alone, and by no more than the names of fields.
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
   * Whether it is for the operator to look into. A capture that took longer than its caller gave it is not, and an error
   * that was read from a record was logged when it happened.
   */
  get isFault(): boolean {
    return this.status >= 500 && this.code !== 'capture_timeout' && this.facts.isRecorded !== true;
  }

  toBody(): ErrorBody {
    const { errors, netError, phase, elapsedMs } = this.facts;
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
    };
  }

  /** Rebuilds the error of a stored record, so that a failed job's result answers with the job's own error. */
  static fromBody(body: ErrorBody): AppError {
    return new AppError(body.code, {
      detail: body.detail,
      errors: body.errors,
      netError: body.net_error,
      phase: body.phase,
      elapsedMs: body.elapsed_ms,
      isRecorded: true,
    });
  }

  /** Any thrown value as an AppError; what is not one becomes `internal`, its message kept from the client. */
  static from(thrown: unknown): AppError {
    return thrown instanceof AppError
      ? thrown
      : new AppError('internal', { detail: 'An unexpected error happened.', cause: thrown });
  }
}
