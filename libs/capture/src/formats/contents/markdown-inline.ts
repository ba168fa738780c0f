/** What an element does to the text in it. */
export type Mark =
  | { readonly kind: 'strong' | 'em' | 'del' | 'code' | 'sub' | 'sup' }
  | { readonly kind: 'link'; readonly href: string };

/** Where a mark begins or ends. */
interface Edge {
  readonly edge: 'open' | 'close';
  readonly mark: Mark;
}

type Piece = string | Edge | { readonly code: string[]; readonly mark: Mark };

/** A line break within a paragraph. */
export const BREAK = '  \n';
/** Marks within each other; those within more are not shown. It bounds the work for a block in all of them. */
const MAX_MARKS = 30;

/**
 * The text of one paragraph, heading or cell, with its marks. White space collapses as HTML does it; marks that enclose nothing
 * are left out, and so are those that Markdown would not recognise where they stand, such as `**` within a word.
 */
export class InlineText {
  /** Characters so far. */
  length = 0;
  private pieces: Piece[] = [];
  private readonly open: (Mark | null)[] = [];
  /** The innermost ones of `open` that nothing has been written for yet. */
  private unwritten = 0;
  /** Elements that were not added to `open`. */
  private excess = 0;
  private hasSpace = false;

  /** Pieces so far: texts, breaks and the edges of marks. */
  get size(): number {
    return this.pieces.length;
  }

  get isEmpty(): boolean {
    return this.pieces.length === 0;
  }

  start(mark: Mark): void {
    if (this.open.length === MAX_MARKS) {
      this.excess += 1;
      return;
    }
    const isRepeated = this.codeMark() !== undefined || this.isIn(mark.kind);
    this.open.push(isRepeated ? null : mark);
    this.unwritten += 1;
  }

  end(): void {
    if (this.excess > 0) {
      this.excess -= 1;
      return;
    }
    const mark = this.open.pop();
    if (this.unwritten > 0) this.unwritten -= 1;
    else if (mark) this.pieces.push({ edge: 'close', mark });
  }

  /** Adds text of the page, in which white space collapses, or is preserved with its line breaks. */
  addText(text: string, isPreserved: boolean): void {
    if (isPreserved && text.includes('\n') && !this.codeMark()) {
      text.split('\n').forEach((line, i) => {
        if (i > 0) this.addBreak();
        this.addText(line, false);
      });
      return;
    }
    const collapsed = text.replace(/[ \t\r\n\f]+/g, ' ');
    const words = collapsed.replace(/^ | $/g, '');
    if (collapsed.startsWith(' ')) this.addSpace();
    if (words === '') return;
    const code = this.codeMark();
    if (code) this.addCode(words, code);
    else this.write(escapeText(words, this.isIn('link')));
    this.hasSpace = collapsed.endsWith(' ');
  }

  addSpace(): void {
    this.hasSpace ||= !this.isLineStart();
  }

  /** Adds Markdown as it is. */
  addRaw(markdown: string): void {
    this.write(markdown);
  }

  addBreak(): void {
    this.hasSpace = false;
    if (this.pieces.length === 0) return;
    this.pieces.push(BREAK);
    this.length += BREAK.length;
  }

  /** Whether the last thing was a line break. */
  get isAfterBreak(): boolean {
    return this.pieces.at(-1) === BREAK;
  }

  /** The Markdown of the text, which is empty then; marks that are open go on in the next text. */
  takeMarkdown(): string {
    const written = this.open.slice(0, this.open.length - this.unwritten);
    while (this.isAfterBreak) this.pieces.pop();
    for (const mark of written.reverse()) if (mark) this.pieces.push({ edge: 'close', mark });
    this.unwritten = this.open.length;
    const markdown = layOut(this.pieces);
    this.pieces = [];
    this.length = 0;
    this.hasSpace = false;
    return markdown.trim();
  }

  private codeMark(): Mark | undefined {
    return this.open.find((each) => each?.kind === 'code') ?? undefined;
  }

  private isIn(kind: Mark['kind']): boolean {
    return this.open.some((each) => each?.kind === kind);
  }

  private isLineStart(): boolean {
    return this.pieces.length === 0 || this.isAfterBreak;
  }

  private addCode(text: string, mark: Mark): void {
    const last = this.pieces.at(-1);
    const isWritten = this.open.indexOf(mark) < this.open.length - this.unwritten;
    if (typeof last === 'object' && 'code' in last && last.mark === mark && isWritten) {
      last.code.push((this.hasSpace ? ' ' : '') + text);
    } else {
      this.write('');
      this.pieces.push({ code: [text], mark });
    }
    this.hasSpace = false;
    this.length += text.length + 1;
  }

  private write(markdown: string): void {
    if (this.hasSpace && !this.isLineStart()) this.pieces.push(' ');
    this.hasSpace = false;
    for (const mark of this.open.slice(this.open.length - this.unwritten)) {
      if (mark) this.pieces.push({ edge: 'open', mark });
    }
    this.unwritten = 0;
    if (markdown !== '') this.pieces.push(markdown);
    this.length += markdown.length + 1;
  }
}

/** Escapes what Markdown or HTML would read as markup anywhere in a line. */
export function escapeText(text: string, isInLink = false): string {
  return text
    .replace(/[\\`[]/g, '\\$&')
    .replace(isInLink ? /\]/g : /\](?=[([:])/g, '\\]')
    .replace(/\*/g, '\\*')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}_])/gu, '\\_')
    .replace(/(?<=\S)~|~(?=~)/g, '\\~')
    .replace(/<(?=[a-z/!?])/gi, '\\<')
    .replace(/&(?=#?\w{1,40};)/g, '\\&');
}

/** Escapes what Markdown would read as markup at the beginning of a line. */
export function escapeLineStart(line: string): string {
  return line
    .replace(/^(#{1,6}|[-+])(?=\s|$)/, '\\$1')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
    .replace(/^(?:>|=+\s*$|-{2,}\s*$|~{3}|:?-+:?\s*\|)/, '\\$&');
}

/** Escapes number signs at the end of a heading, which Markdown would drop. A pattern would take the square of their number. */
export function escapeHeadingEnd(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === '#') end -= 1;
  return end === text.length ? text : `${text.slice(0, end)}\\${text.slice(end)}`;
}

const MARKERS: Readonly<Record<string, string>> = { strong: '**', em: '_', del: '~~' };
const LETTER = /[\p{L}\p{N}]/u;
const PUNCTUATION = /[\p{P}\p{S}]/u;

function layOut(pieces: readonly Piece[]): string {
  const others = otherEdges(pieces);
  const dropped = droppedEdges(pieces, others);
  const out: string[] = [];
  pieces.forEach((piece, i) => {
    if (typeof piece === 'string') out.push(piece);
    else if ('code' in piece) out.push(codeSpan(piece.code.join('')));
    else if (!dropped.has(i)) out.push(markerOf(pieces, i, others));
  });
  return out.join('');
}

/** The number of the other edge, for each edge. */
function otherEdges(pieces: readonly Piece[]): ReadonlyMap<number, number> {
  const others = new Map<number, number>();
  const opened: number[] = [];
  pieces.forEach((piece, i) => {
    if (!isEdge(piece)) return;
    if (piece.edge === 'open') opened.push(i);
    else {
      const from = opened.pop() ?? i;
      others.set(from, i).set(i, from);
    }
  });
  return others;
}

function markerOf(pieces: readonly Piece[], i: number, others: ReadonlyMap<number, number>): string {
  const { edge, mark } = pieces[i] as Edge;
  const isOpen = edge === 'open';
  if (mark.kind === 'link') return isOpen ? '[' : `](${destination(mark.href)})`;
  if (mark.kind === 'sub' || mark.kind === 'sup') return isOpen ? `<${mark.kind}>` : `</${mark.kind}>`;
  if (mark.kind !== 'em') return MARKERS[mark.kind] ?? '';
  // An underscore beside a letter is no mark.
  const [from, to] = [i, others.get(i) ?? i].sort((a, b) => a - b) as [number, number];
  return LETTER.test(neighbour(pieces, from, -1)) || LETTER.test(neighbour(pieces, to, 1)) ? '*' : '_';
}

/** The edges that Markdown would not recognise between the characters at their sides, or that only interrupt a mark. */
function droppedEdges(pieces: readonly Piece[], others: ReadonlyMap<number, number>): ReadonlySet<number> {
  const dropped = new Set<number>();
  pieces.forEach((piece, i) => {
    if (!isEdge(piece) || piece.edge === 'open' || !(piece.mark.kind in MARKERS)) return;
    const from = others.get(i) ?? i;
    const opens = isFlanked(neighbour(pieces, from, -1), neighbour(pieces, from, 1));
    const closes = isFlanked(neighbour(pieces, i, 1), neighbour(pieces, i, -1));
    if (!opens || !closes) dropped.add(from).add(i);
  });
  pieces.forEach((piece, i) => {
    const next = pieces[i + 1];
    if (!isEdge(piece) || !isEdge(next) || piece.edge !== 'close' || next.edge !== 'open') return;
    const isMarker = piece.mark.kind in MARKERS && !dropped.has(i) && !dropped.has(i + 1);
    if (isMarker && piece.mark.kind === next.mark.kind) dropped.add(i).add(i + 1);
  });
  return dropped;
}

/** Whether `**` is recognised between two characters. https://spec.commonmark.org/0.31.2/#delimiter-run */
function isFlanked(outside: string, inside: string): boolean {
  if (inside.trim() === '') return false;
  return !PUNCTUATION.test(inside) || !LETTER.test(outside);
}

function isEdge(piece: Piece | undefined): piece is Edge {
  return typeof piece === 'object' && 'edge' in piece;
}

/** The character beside a piece, past marks whose markers may be dropped. */
function neighbour(pieces: readonly Piece[], i: number, step: 1 | -1): string {
  for (let at = i + step; ; at += step) {
    const piece = pieces[at];
    if (piece === undefined) return '';
    if (typeof piece === 'string') {
      return step === 1
        ? String.fromCodePoint(piece.codePointAt(0) ?? 32)
        : ([...piece.slice(-2)].at(-1) ?? '');
    }
    if ('code' in piece) return '`';
    if (!(piece.mark.kind in MARKERS)) return piece.mark.kind === 'link' ? '[' : '<';
  }
}

/** More backticks than the code has in a row, and at least `least`. */
export function fenceOf(code: string, least: number): string {
  const runs = code.match(/`+/g) ?? [];
  return '`'.repeat(runs.reduce((longest, { length }) => Math.max(longest, length + 1), least));
}

/** A code span, with enough backticks around it. */
export function codeSpan(code: string): string {
  const fence = fenceOf(code, 1);
  const isPadded = code.startsWith('`') || code.endsWith('`');
  return isPadded ? `${fence} ${code} ${fence}` : `${fence}${code}${fence}`;
}

/** A URL as the destination of a link or an image. */
export function destination(url: string): string {
  const encoded = url.replace(/[\s<>\\|]/g, encodeURIComponent);
  const isBalanced = !/[()]/.test(encoded) || /^[^()]*(?:\([^()]*\)[^()]*)*$/.test(encoded);
  return isBalanced ? encoded : `<${encoded}>`;
}

/** An image; only its description when it has no address that others can open. */
export function image(src: string | undefined, alt: string): string {
  const text = escapeText(alt.replace(/\s+/g, ' ').trim(), true);
  return src === undefined ? text : `![${text}](${destination(src)})`;
}
