/** Texts of numbers and times. All times are shown in the time zone of the browser, which `ZONE` names. */

/** Such as `Europe/Berlin`. */
export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const WHOLE = new Intl.NumberFormat('en-US');
const TIME = new Intl.DateTimeFormat('en-GB', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});
const RELATIVE = new Intl.RelativeTimeFormat('en-US', { numeric: 'auto', style: 'short' });

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];
const AGES: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** `12,345`. */
export function count(value: number): string {
  return WHOLE.format(value);
}

/** `12.5 %` of `whole`; `0 %` of nothing. */
export function share(part: number, whole: number): string {
  const percent = whole === 0 ? 0 : (part / whole) * 100;
  return `${percent > 0 && percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`;
}

/** `1.4 MB`, in powers of 1,000 as in the API's limits. */
export function bytes(value: number): string {
  const power = value < 1_000 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(value) / 3));
  const scaled = value / 1_000 ** power;
  return `${scaled.toFixed(power > 0 && scaled < 100 ? 1 : 0)} ${BYTE_UNITS[power]}`;
}

/** `340 ms`, `2.4 s`, `3 min 12 s`, `2 h 5 min`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 59.95) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const whole = Math.round(seconds);
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}

/** `22 Nov 2026, 14:03:09 CET`. */
export function time(iso: string): string {
  return TIME.format(new Date(iso));
}

/** `3 min. ago`, `in 2 days`. */
export function age(iso: string, nowMs: number): string {
  const seconds = (Date.parse(iso) - nowMs) / 1_000;
  const [unit, size] = AGES.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
  return RELATIVE.format(Math.trunc(seconds / size), unit);
}

/** `https://example.com/a` as `example.com/a`, for narrow places. */
export function shortUrl(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '');
}

/** `Running` of `running`. */
export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
