import { fingerprintOf, type Idempotency } from '@app/jobs';
import type { Response } from 'express';

/** What makes a request and its repetition the same; `route` with its method, as in `POST /v1/jobs`. */
export function toIdempotency(
  key: string | undefined,
  route: string,
  body: unknown,
): Idempotency | undefined {
  return key === undefined ? undefined : { key, fingerprint: fingerprintOf(route, body) };
}

/** Tells the caller that the answer is that of an earlier request. */
export function markReplay(response: Response, replayed: boolean): void {
  if (replayed) response.set('Idempotency-Replayed', 'true');
}
