import type { AppError, ErrorBody, ErrorCode } from '@app/kernel';
import { NO_STORE } from './no-store.middleware.js';

/** A problem document (RFC 9457): what every error is answered with. */
export interface Problem extends ErrorBody {
  readonly status: number;
  readonly request_id: string;
}

/** Seconds for `Retry-After` where the error does not know better. */
const RETRY_AFTER_S: Partial<Record<ErrorCode, number>> = {
  job_not_finished: 1,
  idempotency_in_flight: 1,
  concurrency_exceeded: 1,
  rate_limited: 1,
  overloaded: 5,
  storage_unavailable: 5,
  unavailable: 5,
};

export function toProblem(error: AppError, requestId: string): Problem {
  const { type, title, code, detail, retryable, ...facts } = error.toBody();
  const status = error.status;
  return { type, title, status, detail, code, retryable, request_id: requestId, ...facts };
}

/** The headers that belong to an error. */
export function problemHeaders({ code, facts }: AppError): Record<string, string> {
  const retryAfterS = facts.retryAfterS ?? RETRY_AFTER_S[code];
  return {
    'Content-Type': 'application/problem+json; charset=utf-8',
    // Again, for what Node could not read as a request has passed no middleware, and a file that failed has set its own.
    ...NO_STORE,
    ...(retryAfterS !== undefined && { 'Retry-After': String(retryAfterS) }),
    ...(code === 'unauthorized' && { 'WWW-Authenticate': 'Bearer realm="capture"' }),
  };
}
