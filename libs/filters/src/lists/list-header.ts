/** What a list says of itself in its first lines. */
export interface ListHeader {
  /** Undefined when it has no title. */
  readonly title: string | undefined;
  /** When it was last changed, in ISO 8601; undefined when it does not say so. */
  readonly date: string | undefined;
}

const MAX_TITLE = 100;

export function readListHeader(text: string): ListHeader {
  const lines = text.slice(0, 8_192).split('\n', 60);
  const field = (names: string): string | undefined => {
    const pattern = new RegExp(`^[!#]\\s*(?:${names}):\\s*(\\S.*)$`, 'i');
    return lines.map((line) => pattern.exec(line.trim())?.[1]).find((value) => value !== undefined);
  };
  return {
    title: field('title')
      ?.replace(/\p{Cc}/gu, ' ')
      .slice(0, MAX_TITLE)
      .trim(),
    date: isoDate(field('timeupdated|last modified|last-modified|updated')),
  };
}

function isoDate(value: string | undefined): string | undefined {
  const time = Date.parse(value ?? '');
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
