import { LatexConverter } from './latex.js';
import { MarkdownBlocks } from './markdown-blocks.js';
import {
  codeSpan,
  escapeHeadingEnd,
  escapeLineStart,
  fenceOf,
  image,
  InlineText,
  type Mark,
} from './markdown-inline.js';
import { MarkdownTable } from './markdown-table.js';
import type { Layout } from './bounded-layout.js';
import type { Attributes, Token } from './token.js';

const MARKS: Readonly<Record<string, Exclude<Mark['kind'], 'link'>>> = {
  strong: 'strong',
  b: 'strong',
  em: 'em',
  i: 'em',
  var: 'em',
  cite: 'em',
  dfn: 'em',
  del: 'del',
  s: 'del',
  strike: 'del',
  code: 'code',
  kbd: 'code',
  samp: 'code',
  tt: 'code',
  sub: 'sub',
  sup: 'sup',
};

/** A paragraph of more pieces of text and marks is written as several, because all of it is laid out at once. */
const MAX_PIECES = 50_000;

/** The code block that is being read. */
interface CodeBlock {
  readonly language: string;
  readonly parts: string[];
  length: number;
  /** Elements around the text, `pre` included. */
  depth: number;
  /** A box ends or begins; the text after it is on a new line. */
  isLineDue: boolean;
}

/** The cell that is being read. */
interface Cell {
  readonly attributes: Attributes;
  readonly lines: string[];
  /** What the next line begins with. */
  marker: string;
  length: number;
}

/**
 * Lays tokens out as GitHub Flavored Markdown (https://github.github.com/gfm/), one after the other. Nothing is recursive and the
 * work for each token is bounded, so that no page can make it slow; that for a paragraph is bounded by its pieces.
 */
export class Markdown implements Layout {
  private readonly blocks = new MarkdownBlocks();
  private readonly inline = new InlineText();
  private readonly latex = new LatexConverter();
  /** Level of the open heading; 0 outside of headings. */
  private heading = 0;
  private code: CodeBlock | undefined;
  private table: MarkdownTable | undefined;
  private cell: Cell | undefined;
  /** Whether each open table is shown as one. */
  private readonly tables: boolean[] = [];
  /** Whether each open link leads somewhere. */
  private readonly links: boolean[] = [];

  get length(): number {
    const { blocks, inline, code, table, cell } = this;
    return blocks.length + inline.length + (code?.length ?? 0) + (table?.length ?? 0) + (cell?.length ?? 0);
  }

  add(token: Token): void {
    if (token[0] === 'text') this.addText(token[1], token[2]);
    else if (this.code) this.addToCode(this.code, token);
    else if (token[0] === 'start') this.start(token[2], token[3] ?? {}, token[1]);
    else this.end(token[2], token[1]);
  }

  toString(): string {
    this.flush();
    return this.blocks.toString();
  }

  private addText(text: string, whiteSpace: string): void {
    if (!this.code) {
      this.inline.addText(text, whiteSpace !== 'collapse');
      if (this.inline.size > MAX_PIECES) this.flush();
      return;
    }
    const { parts, isLineDue } = this.code;
    if (isLineDue && parts.length > 0 && parts.at(-1)?.endsWith('\n') === false) parts.push('\n');
    this.code.isLineDue = false;
    parts.push(text);
    this.code.length += text.length + 1;
  }

  private addToCode(code: CodeBlock, [edge, display, name]: Token): void {
    code.depth += edge === 'start' ? 1 : -1;
    if (name === 'br') {
      if (edge === 'start') this.addText('\n', 'preserve');
    } else if (!/^(inline|contents|ruby|table-cell)/.test(display)) code.isLineDue = true;
    if (code.depth > 0) return;
    this.code = undefined;
    this.writeCode(code.parts.join(''), code.language);
  }

  private start(name: string, attributes: Attributes, display: string): void {
    const mark = MARKS[name];
    if (mark) this.inline.start({ kind: mark });
    else if (name === 'a') this.startLink(attributes);
    else if (name === 'img') this.inline.addRaw(image(attributes.src, attributes.alt ?? ''));
    else if (name === 'br') this.addBreak();
    else if (name === 'q') this.inline.addRaw('“');
    else if (name === 'input') this.addCheckbox(attributes.isChecked === true);
    else if (name === 'math') this.addFormula(attributes);
    else if (!this.startTablePart(name, attributes)) this.startBlock(name, attributes, display);
  }

  private end(name: string, display: string): void {
    if (MARKS[name]) this.inline.end();
    else if (name === 'a') this.endLink();
    else if (name === 'q') this.inline.addRaw('”');
    else if (!/^(img|br|input|math)$/.test(name) && !this.endTablePart(name)) this.endBlock(name, display);
  }

  private startLink({ href, note }: Attributes): void {
    if (note !== undefined) this.inline.addRaw(`[^${note}]`);
    this.links.push(href !== undefined && note === undefined);
    if (href !== undefined && note === undefined) this.inline.start({ kind: 'link', href });
  }

  private endLink(): void {
    if (this.links.pop() === true) this.inline.end();
  }

  private addBreak(): void {
    if (this.heading > 0) this.inline.addSpace();
    else if (this.inline.isAfterBreak) this.flush();
    else this.inline.addBreak();
  }

  private addCheckbox(isChecked: boolean): void {
    if (!this.inline.isEmpty || this.cell || !this.blocks.isItemStart()) return;
    this.inline.addRaw(isChecked ? '[x]' : '[ ]');
    this.inline.addSpace();
  }

  private addFormula({ mathml = '', tex = this.latex.convert(mathml), isDisplayed }: Attributes): void {
    const lines = tex.split('\n').filter((line) => line.trim() !== '');
    if (lines.length === 0) return;
    if (isDisplayed && !this.cell && this.heading === 0) {
      this.flush();
      this.blocks.write(['$$', ...lines, '$$']);
    } else this.inline.addRaw(`$${lines.join(' ')}$`);
  }

  private startBlock(name: string, attributes: Attributes, display: string): void {
    if (isInline(name, display)) return;
    this.flushBox();
    const level = /^h([1-6])$/.exec(name)?.[1];
    if (level !== undefined && !this.cell) this.heading = Number(level);
    if (name === 'pre') {
      const { language = '' } = attributes;
      this.code = { language, parts: [], length: 0, depth: 1, isLineDue: false };
    }
    if (name === 'hr' && !this.cell) this.blocks.write(['---']);
    if (name === 'summary' || name === 'dt') this.inline.start({ kind: 'strong' });
    if (this.cell && /^(li|dd)$/.test(name)) this.cell.marker = '- ';
    if (!this.cell) this.enter(name, attributes);
  }

  private enter(name: string, { start, step, note }: Attributes): void {
    if (name === 'ul' || name === 'menu') this.blocks.enterList({});
    else if (name === 'ol') this.blocks.enterList({ start: start ?? 1, step });
    else if (name === 'dl') this.blocks.enterList({ isLoose: true });
    else if (name === 'li') this.blocks.enterItem(start);
    else if (name === 'dt') this.blocks.enterItem();
    else if (name === 'dd') this.blocks.enterDefinition();
    else if (name === 'blockquote') this.blocks.enterQuote();
    else if (name === 'note') this.blocks.enterNote(note ?? '');
  }

  private endBlock(name: string, display: string): void {
    if (isInline(name, display)) return;
    if (name === 'summary' || name === 'dt') this.inline.end();
    if (/^h[1-6]$/.test(name)) this.flush();
    else this.flushBox();
    if (CONTAINERS.test(name) && !this.cell) this.blocks.leave();
  }

  /** Returns whether the element belongs to a table, and needs nothing else. */
  private startTablePart(name: string, attributes: Attributes): boolean {
    if (name === 'table') {
      this.flushBox();
      const isShown = !attributes.isLayout && !this.table && this.heading === 0;
      this.tables.push(isShown);
      if (isShown) this.table = new MarkdownTable();
      return true;
    }
    if (this.tables.at(-1) !== true) {
      // A table in a cell: its cells follow each other in a line.
      if (!CELLS.test(name) || !this.cell) return false;
      this.inline.addSpace();
      return true;
    }
    if (name === 'tr') this.table?.startRow();
    if (CELLS.test(name)) this.cell = { attributes, lines: [], marker: '', length: 0 };
    return ROWS_AND_CELLS.test(name);
  }

  private endTablePart(name: string): boolean {
    if (name === 'table') {
      this.flushBox();
      if (this.tables.pop() !== true) return true;
      const lines = this.table?.lines() ?? [];
      this.table = undefined;
      if (lines.length > 0) this.blocks.write(lines);
      return true;
    }
    if (this.tables.at(-1) !== true) return CELLS.test(name) && this.cell !== undefined;
    if (name === 'tr') this.table?.endRow();
    if (CELLS.test(name) && this.cell) {
      this.flush();
      this.table?.addCell(this.cell.lines, this.cell.attributes, name === 'th');
      this.cell = undefined;
    }
    return ROWS_AND_CELLS.test(name);
  }

  /** Ends the paragraph at the edge of a box. A heading goes on in it. */
  private flushBox(): void {
    if (this.heading > 0) this.inline.addSpace();
    else this.flush();
  }

  /** Writes the text so far as a paragraph, a heading or a line of a cell. */
  private flush(): void {
    const text = this.inline.takeMarkdown();
    const level = this.heading;
    this.heading = 0;
    if (text === '') return;
    if (this.cell) this.addLine(this.cell, text);
    else if (level > 0) this.blocks.write([`${'#'.repeat(level)} ${escapeHeadingEnd(text)}`]);
    else this.blocks.write(text.split('\n').map(escapeLineStart));
  }

  private writeCode(code: string, language: string): void {
    const lines = code.replace(/\n$/, '').split('\n');
    if (lines.join('') === '') return;
    if (this.cell) {
      for (const line of lines) if (line.trim() !== '') this.addLine(this.cell, codeSpan(line));
      return;
    }
    const fence = fenceOf(code, 3);
    this.blocks.write([`${fence}${language}`, ...lines, fence]);
  }

  private addLine(cell: Cell, line: string): void {
    cell.lines.push(cell.marker + line);
    cell.length += cell.marker.length + line.length;
    cell.marker = '';
  }
}

/** Elements that are blocks of their own, whatever their `display` says. */
const BLOCKS = /^(h[1-6]|ul|ol|menu|li|dl|dt|dd|blockquote|note|pre|hr|summary|caption|table|tr|td|th)$/;
/** Blocks that hold other blocks: `enter` opens a container of Markdown for each. */
const CONTAINERS = /^(ul|ol|menu|li|dl|dt|dd|blockquote|note)$/;
const CELLS = /^t[dh]$/;
const ROWS_AND_CELLS = /^t[rdh]$/;

function isInline(name: string, display: string): boolean {
  return display.startsWith('inline') && !BLOCKS.test(name);
}
