/** The greatest lengths of texts that others write, in UTF-16 units; the checks of the table `jobs` are the same. */
export const MAX_TEXT = {
  /** An address that a page has led to. */
  url: 8_192,
  title: 1_024,
  /** A sentence, such as what an error says. */
  message: 300,
} as const;

export type TextKind = keyof typeof MAX_TEXT;

declare const kind: unique symbol;

/** A text that is no longer than its kind may be and that PostgreSQL stores. Only `boundText` makes one. */
export type BoundedText<Kind extends TextKind> = string & { readonly [kind]: Kind };

const ELLIPSIS = '…';

/**
 * A text of a page, a browser or a caller, made fit for a record, a log or an answer: cut to the length of its kind, with
 * an ellipsis in place of the rest; control characters, which include NUL, become blanks, and halves of surrogate pairs
 * U+FFFD. What it costs depends on the limit, not on the text.
 */
export function boundText<Kind extends TextKind>(kind: Kind, text: string): BoundedText<Kind> {
  const max = MAX_TEXT[kind];
  if (text.length <= max) return storable(text) as BoundedText<Kind>;
  const cut = text.slice(0, max - ELLIPSIS.length);
  const last = cut.charCodeAt(cut.length - 1);
  const isHalved = last >= 0xd800 && last <= 0xdbff;
  return `${storable(isHalved ? cut.slice(0, -1) : cut)}${ELLIPSIS}` as BoundedText<Kind>;
}

// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROLS = /[\0-\x1f\x7f-\x9f]/g;

/** The copy through a buffer replaces lone surrogates, and lets go of the text that a slice would keep in memory. */
function storable(text: string): string {
  return Buffer.from(text, 'utf8').toString().replace(CONTROLS, ' ');
}
