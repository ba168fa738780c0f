import type { Token } from './token.js';

const CHUNK_PARTS = 10_000;

/**
 * Lays tokens out as text, as `innerText` does: boxes begin on lines of their own, paragraphs are set off by an empty line,
 * cells by a tab, and white space collapses as CSS says. Lines are not wrapped.
 */
export class PlainText {
  length = 0;
  private parts: string[] = [];
  /** Parts that are joined already: a page may have millions of lines, and each string takes memory of its own. */
  private readonly chunks: string[] = [];
  /** Line breaks due before the next text: those that boxes require are merged, those that the page writes are added up. */
  private required = 0;
  private written = 0;
  private tabs = 0;
  private hasSpace = false;
  /** Nothing has been written in the current cell; its first box begins beside the tab, not below it. */
  private isCellStart = false;
  /** Cells so far in each open row. */
  private readonly rows: number[] = [];

  add(token: Token): void {
    if (token[0] === 'text') this.addText(token[1], token[2], token[3]);
    else if (token[2] === 'br') this.addBreak(token[0]);
    else if (token[1] === 'table-cell') this.addCell(token[0]);
    else if (token[1] === 'table-row') this.addRow(token[0]);
    else this.require(token[2] === 'p' ? 2 : 1);
  }

  toString(): string {
    return [...this.chunks, ...this.parts].join('');
  }

  private addText(raw: string, whiteSpace: string, transform: string): void {
    const text = TRANSFORMS[transform]?.(raw) ?? raw;
    if (whiteSpace === 'collapse') {
      this.addCollapsed(text);
      return;
    }
    const keepsSpaces = whiteSpace !== 'preserve-breaks';
    text.split('\n').forEach((line, i) => {
      if (i > 0) this.writeBreak();
      if (!keepsSpaces) this.addCollapsed(line);
      else if (line !== '') {
        this.write((this.hasSpace ? ' ' : '') + line);
        this.hasSpace = false;
      }
    });
  }

  private addCollapsed(text: string): void {
    const collapsed = text.replace(/[ \t\r\n\f]+/g, ' ');
    if (collapsed.startsWith(' ') && !this.isLineStart()) this.hasSpace = true;
    const words = collapsed.replace(/^ | $/g, '');
    if (words === '') return;
    this.write((this.hasSpace ? ' ' : '') + words);
    this.hasSpace = collapsed.endsWith(' ');
  }

  private isLineStart(): boolean {
    return this.length === 0 || this.required > 0 || this.written > 0 || this.isCellStart;
  }

  private write(text: string): void {
    const breaks = this.length === 0 ? 0 : Math.max(this.required, this.written);
    const part = '\n'.repeat(breaks) + '\t'.repeat(this.tabs) + text;
    this.parts.push(part);
    if (this.parts.length === CHUNK_PARTS) {
      this.chunks.push(this.parts.join(''));
      this.parts = [];
    }
    this.length += part.length;
    this.required = this.written = this.tabs = 0;
    this.isCellStart = false;
  }

  private require(breaks: number): void {
    this.hasSpace = false;
    if (!this.isCellStart) this.required = Math.max(this.required, breaks);
  }

  private addBreak(edge: 'start' | 'end'): void {
    if (edge === 'start') this.writeBreak();
  }

  /** A break on a line without text leaves that line empty. */
  private writeBreak(): void {
    this.hasSpace = false;
    if (this.isCellStart) return;
    this.written = Math.max(this.required, this.written) + 1;
    this.required = 0;
  }

  private addRow(edge: 'start' | 'end'): void {
    this.require(1);
    if (edge === 'start') this.rows.push(0);
    else {
      this.rows.pop();
      this.tabs = 0;
    }
  }

  private addCell(edge: 'start' | 'end'): void {
    this.hasSpace = false;
    // In a cell without text, the breaks that are due are those of its row.
    if (edge === 'end' && !this.isCellStart) this.required = this.written = 0;
    this.isCellStart = edge === 'start';
    if (edge === 'end') return;
    const before = this.rows.pop() ?? 0;
    this.rows.push(before + 1);
    if (before > 0) this.tabs += 1;
  }
}

/** Values of `text-transform` that change the letters; `innerText` applies them, too. */
const TRANSFORMS: Readonly<Record<string, (text: string) => string>> = {
  uppercase: (text) => text.toUpperCase(),
  lowercase: (text) => text.toLowerCase(),
  capitalize: (text) => text.replace(/(?<![\p{L}\p{N}\p{M}'’])\p{L}/gu, (letter) => letter.toUpperCase()),
};
