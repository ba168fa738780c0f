import type { Verdict } from '../../record/verdict.js';

/**
 * What pages look like that are not the page that was asked for.
 *
 * Each sign says where it looks, what it matches there, and its weight. The weights of a signature's signs add up, and from
 * `PROOF` on the page is of its kind: 3 is a proof by itself, 2 needs one more sign, 1 is a hint. A sign that ordinary pages
 * have too, such as the script of a bot manager or a CAPTCHA in a form, never weighs enough alone.
 *
 * - `status`, `header`: the response of the document. A header is matched as `name: value`, its name in lower case.
 * - `redirect`: the URL of the document, only when it is another one than the URL that was requested.
 * - `title`, `text`: the title, and the text that a visitor sees.
 * - `script`, `frame`: URLs. `code`: the beginning of an inline script. `element`: a CSS selector.
 * - `heading`, `part`: a heading or the largest text, and a part of the title; only of a page with little prose, but however many
 *   links it has. `prose`: `none` when such a page has hardly any.
 * - `form`: `password` or `user name` when a log-in form is what the page is about, `none` when there is nothing to fill in.
 *
 * What looks into the document only counts on pages with little text, except for a frame that covers half of the window.
 */
export interface Signature {
  readonly kind: Exclude<Verdict['kind'], 'page' | 'blank'>;
  readonly vendor: string;
  readonly signs: readonly Sign[];
  /** Signs of which one must be there; together they count once. */
  readonly widget?: readonly Sign[];
}

export type Look =
  | 'status'
  | 'header'
  | 'redirect'
  | 'title'
  | 'heading'
  | 'part'
  | 'text'
  | 'prose'
  | 'script'
  | 'frame'
  | 'code'
  | 'element'
  | 'form';

export type Sign =
  | readonly [weight: number, look: Exclude<Look, 'element'>, pattern: RegExp]
  | readonly [weight: number, look: 'element', selector: string];

/** The sum of weights from which on a page is of the kind of a signature. */
export const PROOF = 3;

/** Makes signatures of a kind. */
export const signatureOf =
  (kind: Signature['kind']) =>
  (vendor: string, ...signs: readonly Sign[]): Signature => ({ kind, vendor, signs });
