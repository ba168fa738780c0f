/** What Markdown needs to know of an element, besides its name. URLs are absolute. */
export interface Attributes {
  /** Where a link leads, when that is an address that works from anywhere. */
  readonly href?: string;
  readonly src?: string;
  readonly alt?: string;
  /** Language of a code block, as its class names it. */
  readonly language?: string;
  readonly colspan?: number;
  readonly rowspan?: number;
  /** Where the text of a cell is not at the left. */
  readonly align?: 'center' | 'right';
  /** The table only places things beside each other. */
  readonly isLayout?: boolean;
  /** Number of the first item of an ordered list, or the own number of an item. */
  readonly start?: number;
  readonly step?: number;
  readonly isChecked?: boolean;
  /** Label of a footnote, on a reference to it and on the footnote itself. */
  readonly note?: string;
  /** A formula as LaTeX. */
  readonly tex?: string;
  /** A formula as MathML, which may be cut off, where the page has no LaTeX. */
  readonly mathml?: string;
  readonly isDisplayed?: boolean;
}

/** What the walk through the page meets: the edges of elements, and runs of text with the CSS that decides how they are shown. */
export type Token =
  | readonly [edge: 'start', display: string, name: string, attributes?: Attributes]
  | readonly [edge: 'end', display: string, name: string]
  | readonly [kind: 'text', text: string, whiteSpaceCollapse: string, textTransform: string];
