import { AppError } from '@app/kernel';
import type { StoredKey } from './idempotency-key.repository.js';

/** @throws AppError `idempotency_mismatch` when the key stands for another request than this fingerprint is of */
export function assertRepeats(earlier: StoredKey, fingerprint: Buffer | undefined): void {
  if (!fingerprint?.equals(earlier.fingerprint)) {
    const detail = `This Idempotency-Key stands for another request, which made ${earlier.subjectId}. Use a new key for a new request.`;
    throw new AppError('idempotency_mismatch', { detail });
  }
}

/** Of a repeated request, when what the first one made is no more. */
export function subjectIsGone(): AppError {
  return new AppError('result_expired', { detail: 'What this Idempotency-Key stands for is deleted.' });
}
