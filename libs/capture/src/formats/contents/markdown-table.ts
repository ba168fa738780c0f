import { BREAK } from './markdown-inline.js';
import type { Attributes } from './token.js';

interface Cell {
  readonly text: string;
  readonly isHeader: boolean;
  readonly align: Attributes['align'];
}

/** A table with more columns cannot be read; a page can ask for a billion. */
const MAX_COLUMNS = 500;

/**
 * A table in GitHub Flavored Markdown, row by row. A cell that spans several columns or rows has its text in the first of them,
 * the others are empty. The first row is the header when all its cells are header cells; otherwise the header is empty.
 */
export class MarkdownTable {
  /** Characters so far. */
  length = 0;
  private readonly rows: Cell[][] = [];
  private row: Cell[] | undefined;
  /** For each column, the rows to come that a cell above covers. */
  private readonly covered: number[] = [];

  startRow(): void {
    this.row = [];
  }

  endRow(): void {
    if (!this.row) return;
    this.skipCovered(this.row);
    if (this.row.some(({ text }) => text !== '')) this.rows.push(this.row);
    this.row = undefined;
  }

  /** @param lines the content of the cell; they are joined by line breaks */
  addCell(
    lines: readonly string[],
    { colspan = 1, rowspan = 1, align }: Attributes,
    isHeader: boolean,
  ): void {
    const row = (this.row ??= []);
    this.skipCovered(row);
    // In a table, a pipe ends its cell even within code.
    const text = lines.join('<br>').replaceAll(BREAK, '<br>').replaceAll('\n', ' ').replaceAll('|', '\\|');
    for (let column = 0; column < Math.max(1, colspan) && row.length < MAX_COLUMNS; column += 1) {
      // Zero stands for all rows to come.
      this.covered[row.length] = rowspan === 0 ? Infinity : rowspan - 1;
      row.push({ text: column === 0 ? text : '', isHeader, align });
      this.length += 3;
    }
    this.length += text.length;
  }

  lines(): string[] {
    const [first, second] = this.rows;
    if (!first) return [];
    const columns = this.rows.reduce((most, { length }) => Math.max(most, length), 0);
    const hasHeader = first.every(({ isHeader }) => isHeader);
    const header = Array.from({ length: columns }, (_, i) => (hasHeader ? (first[i]?.text ?? '') : ''));
    const aligned = hasHeader ? second : first;
    const rule = header.map((_, i) => RULES[aligned?.[i]?.align ?? 'left']);
    const body = hasHeader ? this.rows.slice(1) : this.rows;
    return [header, rule, ...body.map((row) => row.map(({ text }) => text))].map(
      (row) => `| ${row.join(' | ')} |`,
    );
  }

  /** Adds the empty cells below a cell that spans several rows. */
  private skipCovered(row: Cell[]): void {
    while ((this.covered[row.length] ?? 0) > 0) {
      this.covered[row.length] = (this.covered[row.length] ?? 0) - 1;
      row.push({ text: '', isHeader: false, align: undefined });
    }
  }
}

const RULES = { left: '---', center: ':---:', right: '---:' } as const;
