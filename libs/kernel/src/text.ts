/** The maximum lengths of texts that pages, browsers and callers supply, in UTF-16 units; the checks of the table `jobs` agree. */
export const MAX_TEXT = {
  /** An address that a capture reached. */
  url: 8_192,
  title: 1_024,
  /** A sentence, such as the message of an error. */
  message: 300,
  /** A text of the page itself, such as a heading. */
  content: 2_000,
} as const;

export type TextKind = keyof typeof MAX_TEXT;

declare const kind: unique symbol;

/** A text within the limit of its kind that PostgreSQL can store. Only `boundText` makes one. */
export type BoundedText<Kind extends TextKind> = string & { readonly [kind]: Kind };

const ELLIPSIS = '…';

/**
 * Makes a text of a page, a browser or a caller fit for a record, a log or a response: cuts it to the length of its kind
 * with an ellipsis, and replaces control characters (NUL among them) by blanks and lone surrogates by U+FFFD. The cost
 * depends on the limit, not on the text.
 */
export function boundText<Kind extends TextKind>(kind: Kind, text: string): BoundedText<Kind> {
  const max = MAX_TEXT[kind];
  if (text.length <= max) return storable(text) as BoundedText<Kind>;
  const cut = text.slice(0, max - ELLIPSIS.length);
  const last = cut.charCodeAt(cut.length - 1);
  const isHalved = last >= 0xd800 && last <= 0xdbff;
  return `${storable(isHalved ? cut.slice(0, -1) : cut)}${ELLIPSIS}` as BoundedText<Kind>;
}

// oxlint-disable-next-line no-control-regex -- it matches control characters on purpose
const CONTROLS = /[\0-\x1f\x7f-\x9f]/g;

/** The copy through a buffer replaces lone surrogates, and releases the whole text, which a slice would keep in memory. */
function storable(text: string): string {
  return Buffer.from(text, 'utf8').toString().replace(CONTROLS, ' ');
}

/** A number with what it counts: `1 row is`, `2 rows are`. */
export function pluralize(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
