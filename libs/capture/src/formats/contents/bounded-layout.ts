import { AppError } from '@app/kernel';
import type { Token } from './token.js';

/** A layout of tokens as a file. */
export interface Layout {
  /** Characters so far. */
  readonly length: number;
  add(token: Token): void;
  toString(): string;
}

/** Elements and lines of a text; each takes time and memory here, however short it is. */
const MAX_PARTS = 2_000_000;

/** Adds tokens to a layout until there are too many. */
export class BoundedLayout {
  private parts = 0;

  constructor(
    private readonly layout: Layout,
    private readonly maxBytes: number,
  ) {}

  /** @throws AppError `resource_limit` */
  add(tokens: readonly Token[]): void {
    for (const token of tokens) {
      this.parts += 1 + linesIn(token);
      this.layout.add(token);
    }
    if (this.layout.length > this.maxBytes) {
      throw new AppError('resource_limit', { detail: `The text has more than ${this.maxBytes} bytes.` });
    }
    if (this.parts <= MAX_PARTS) return;
    const detail = `The text has more than ${MAX_PARTS} elements and lines. Name a part of the page in selector.`;
    throw new AppError('resource_limit', { detail });
  }
}

/** The line breaks of a text that are kept. */
function linesIn([edge, text, whiteSpace]: Token): number {
  if (edge !== 'text' || whiteSpace === 'collapse') return 0;
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
