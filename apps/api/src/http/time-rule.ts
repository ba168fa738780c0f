/** RFC 3339 with an offset. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/i;

/** A date alone is its midnight in UTC, for `Date.parse` too. */
const DATE = /^\d{4}-\d\d-\d\d$/;

/** What is wrong with a time in a query, or undefined. */
export function timeFault(text: string): string | undefined {
  const isTime = (TIME.test(text) || DATE.test(text)) && isStorable(Date.parse(text)) && isOnCalendar(text);
  return isTime
    ? undefined
    : 'must be a date such as 2026-11-21, which is its midnight in UTC, or a time such as 2026-11-21T10:15:30Z (write + as %2B)';
}

/** The years that JavaScript and PostgreSQL write alike; NaN is none of them. */
function isStorable(ms: number): boolean {
  return ms >= Date.parse('0001-01-01T00:00:00Z') && ms < Date.parse('9999-12-31T00:00:00Z');
}

/** `Date.parse` takes the 31st of February for the 3rd of March. */
function isOnCalendar(text: string): boolean {
  const date = text.slice(0, 10);
  return new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
}

export const TIME_RULE = { min: 0, max: 40, check: timeFault, example: '2026-11-21T00:00:00Z' };
