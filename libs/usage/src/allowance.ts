import { AppError, pluralize } from '@app/kernel';

/** The calendar month (UTC) as `2026-11`, the name of a period. */
export function monthOf(time: Date): string {
  return time.toISOString().slice(0, 7);
}

/** The start of the month this many months before that of `time`. */
export function monthsBefore(time: Date, months: number): Date {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() - months));
}

/** The refusal of captures that exceed the allowance; none of them is stored. */
export function allowanceExhausted(needed: number, available: number): AppError {
  const captures = pluralize(needed, 'capture is', 'captures are');
  const left = pluralize(Math.max(0, available), 'is', 'are');
  const detail = `${captures} asked for, and ${left} left in the allowance. GET /v1/usage shows it.`;
  return new AppError('allowance_exhausted', { detail });
}
