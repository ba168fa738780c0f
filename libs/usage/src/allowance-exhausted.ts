import { AppError, pluralize } from '@app/kernel';

/** The refusal of captures that the allowance cannot cover; nothing of them is stored. */
export function allowanceExhausted(needed: number, available: number): AppError {
  const captures = pluralize(needed, 'capture is', 'captures are');
  const left = pluralize(Math.max(0, available), 'is', 'are');
  const detail = `${captures} asked for, and ${left} left in the allowance. GET /v1/usage shows it.`;
  return new AppError('allowance_exhausted', { detail });
}
