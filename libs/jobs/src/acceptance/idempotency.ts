import { AppError } from '@app/kernel';
import type { StoredKey } from './idempotency-key.repository.js';

/** Identifies a request and its repetitions. */
export interface Idempotency {
  readonly key: string;
  /** The result of `fingerprintOf` for the request. */
  readonly fingerprint: Buffer;
}

/**
 * @param made the id of what the earlier request was about
 * @throws AppError `idempotency_mismatch` when the key was used for a request with another fingerprint
 */
export function assertSameRequest(
  earlier: StoredKey,
  fingerprint: Buffer | undefined,
  made = earlier.subjectId,
): void {
  if (!fingerprint?.equals(earlier.fingerprint)) {
    const detail = `This Idempotency-Key stands for another request, which made ${made}. Use a new key for a new request.`;
    throw new AppError('idempotency_mismatch', { detail });
  }
}

/** The error of a repeated request whose job or batch has been deleted. */
export function subjectIsGone(): AppError {
  return new AppError('result_expired', { detail: 'What this Idempotency-Key stands for is deleted.' });
}
