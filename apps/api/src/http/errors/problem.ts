import type { AppError, ErrorBody, ErrorCode } from '@app/kernel';
import { NO_STORE } from '../caching.js';

/** A problem document (RFC 9457), the body of every error response. */
export interface Problem extends ErrorBody {
  readonly status: number;
  readonly request_id: string;
}

/** Default `Retry-After` in seconds, for errors that do not set one. */
const RETRY_AFTER_S: Partial<Record<ErrorCode, number>> = {
  job_not_finished: 1,
  idempotency_in_flight: 1,
  concurrency_exceeded: 1,
  rate_limited: 1,
  overloaded: 5,
  dns_unavailable: 5,
  storage_unavailable: 5,
  unavailable: 5,
};

export function toProblem(error: AppError, requestId: string): Problem {
  const { type, title, code, detail, retryable, ...facts } = error.toBody();
  const status = error.status;
  return { type, title, status, detail, code, retryable, request_id: requestId, ...facts };
}

/** The headers of an error response. */
export function problemHeaders({ code, facts }: AppError): Record<string, string> {
  const retryAfterS = facts.retryAfterS ?? RETRY_AFTER_S[code];
  return {
    'Content-Type': 'application/problem+json; charset=utf-8',
    // Set again: a request that Node could not parse passed no middleware, and a file that failed has set its own.
    ...NO_STORE,
    ...(retryAfterS !== undefined && { 'Retry-After': String(retryAfterS) }),
    ...(code === 'unauthorized' && { 'WWW-Authenticate': 'Bearer realm="capture"' }),
  };
}
