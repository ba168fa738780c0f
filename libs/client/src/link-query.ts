/**
 * The query of a signed link. The service writes it by this function as well, so that both make the same link of the same
 * options.
 *
 * @param values by the names of the API; an undefined one is left out, and a list is written by repeating its name
 */
export function linkQuery(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .flatMap(([name, value]) => textsOf(value).map((text) => `${name}=${encode(text)}`))
    .join('&');
}

/** An empty list is an empty text. */
function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.length === 0 ? [''] : value.map(String);
  return [typeof value === 'number' ? decimal(value) : String(value)];
}

/** A number without an exponent, which the service does not read: 1e-7 is 0.0000001. */
function decimal(value: number): string {
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?e-(\d+)$/.exec(String(value)) ?? [];
  if (exponent === undefined) return String(value);
  return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${whole}${fraction}`;
}

/** Also encodes what `encodeURIComponent` leaves, so that a link can stand in HTML, CSS and Markdown as it is. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
