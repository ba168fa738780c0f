const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2})?(?:[.,](\d{1,9}))?\s?(Z|UTC|[+-]\d{2}(?::?\d{2})?)?)?$/i;
const INTERNET_DATE = /^(?:[a-z]{3}, )?\d{1,2} [a-z]{3} \d{4} \d{2}:\d{2}(?::\d{2})? (?:GMT|UTC|[+-]\d{4})$/i;

/**
 * A date as a page states it: a moment, in UTC, when it has a time and a zone, else a day. Other forms than those of ISO 8601 and
 * RFC 5322 leave open which part is the month, so that they are not read: then it is undefined.
 */
export function publishedAt(stated: string): string | undefined {
  const text = stated.trim();
  if (INTERNET_DATE.test(text)) return momentOf(text);
  const [, day = '', minutes, seconds = ':00', fraction = '0', zone] = ISO.exec(text) ?? [];
  // Rolls over to the next month where the day does not exist.
  if (momentOf(`${day}T00:00:00Z`)?.startsWith(day) !== true || day === '') return undefined;
  if (minutes === undefined || zone === undefined) return day;
  const offset = /^[+-]/.test(zone)
    ? zone.replace(/^(...):?(\d{2})?$/, (_, hours, rest = '00') => `${hours}:${rest}`)
    : 'Z';
  return momentOf(`${day}T${minutes}${seconds}.${fraction.slice(0, 3)}${offset}`) ?? day;
}

function momentOf(text: string): string | undefined {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
