/** Seconds that `Retry-After` (RFC 9110, 10.2.3) asks for, as a number or a date; 0 if it is missing or invalid. */
export function retryAfterS(header: string | undefined, now: Date): number {
  if (header === undefined) return 0;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text);
  const at = HTTP_DATE.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? 0 : Math.max(0, Math.ceil((at - now.getTime()) / 1_000));
}

/** The format that senders must use. `Date.parse` alone accepts nearly any text. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
