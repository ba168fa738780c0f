const MINUTE_MS = 60_000;

/** A time as a field for local times shows it, such as `2026-11-22T14:03`; empty for what is not a time. */
export function localOf(iso: string | undefined): string {
  const ms = Date.parse(iso ?? '');
  if (Number.isNaN(ms)) return '';
  const offset = new Date(ms).getTimezoneOffset() * MINUTE_MS;
  return new Date(ms - offset).toISOString().slice(0, 16);
}

/** The time of a field for local times, in UTC; empty for an empty field. */
export function isoOf(local: string): string {
  const ms = Date.parse(local);
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString().replace('.000Z', 'Z');
}
