/** The calendar month (UTC) as `2026-11`, the name of a period. */
export function monthOf(time: Date): string {
  return time.toISOString().slice(0, 7);
}

/** When the month that began so many months before this one began. */
export function monthsBefore(time: Date, months: number): Date {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() - months));
}
