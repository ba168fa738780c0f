/** RFC 3339 with an offset. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/i;

/** A date alone means its midnight in UTC, as it does to `Date.parse`. */
const DATE = /^\d{4}-\d\d-\d\d$/;

/** The rule of a time in a query. */
export const TIME_RULE = { min: 0, max: 40, check: timeFault, example: '2026-11-21T00:00:00Z' };

function timeFault(text: string): string | undefined {
  const isTime = (TIME.test(text) || DATE.test(text)) && isStorable(Date.parse(text)) && isOnCalendar(text);
  return isTime
    ? undefined
    : 'must be a date such as 2026-11-21, which is its midnight in UTC, or a time such as 2026-11-21T10:15:30Z (write + as %2B)';
}

/** Whether JavaScript and PostgreSQL write the year alike; NaN is refused, too. */
function isStorable(ms: number): boolean {
  return ms >= Date.parse('0001-01-01T00:00:00Z') && ms < Date.parse('9999-12-31T00:00:00Z');
}

/** `Date.parse` reads the 31st of February as the 3rd of March. */
function isOnCalendar(text: string): boolean {
  const date = text.slice(0, 10);
  return new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
}
