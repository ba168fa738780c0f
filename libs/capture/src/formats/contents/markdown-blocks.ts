/** A list, an item, a quotation or a footnote around blocks. */
interface Container {
  readonly kind: 'list' | 'item' | 'other';
  /** What the first line in it begins with; empty once that is written. */
  marker: string;
  /** What the other lines begin with. */
  readonly indent: string;
  /** Blocks directly in it so far; for a list, its items. */
  blocks: number;
  /** What the items of a list are marked with, and the number of the next one. */
  readonly bullet: string;
  readonly step: number;
  next: number;
  /** An item of the list has several blocks, so that empty lines stand between all of its items. */
  isLoose: boolean;
  /** The bullet of the list that ended last, when nothing came after it. */
  lastBullet: string;
}

/** Containers within each other; those within more are not shown. It bounds what each line begins with. */
const MAX_DEPTH = 20;
/** A list item has a number of at most nine digits (CommonMark 5.2). */
const MAX_NUMBER = 999_999_999;
/** Two lists in a row are one list unless their marks differ. */
const OTHER_BULLET: Readonly<Record<string, string>> = { '-': '*', '*': '-', '.': ')', ')': '.' };

/** Writes blocks of Markdown, one after the other, within lists, quotations and footnotes. */
export class MarkdownBlocks {
  /** Characters so far. */
  length = 0;
  private readonly parts: string[] = [];
  private readonly containers: Container[] = [container({})];
  /** Containers that were not opened because of their depth. */
  private excess = 0;
  /** The containers of the block that was written last. */
  private last: readonly Container[] = [];

  toString(): string {
    return this.parts.length === 0 ? '' : `${this.parts.join('')}\n`;
  }

  enterList({
    start,
    step = 1,
    isLoose = false,
  }: {
    start?: number;
    step?: number;
    isLoose?: boolean;
  }): void {
    const usual = start === undefined ? '-' : '.';
    const { lastBullet } = this.innermost();
    const isLikeLast = lastBullet !== '' && (start === undefined) === /[-*]/.test(lastBullet);
    const bullet = isLikeLast ? (OTHER_BULLET[lastBullet] ?? usual) : usual;
    this.enter(container({ kind: 'list', bullet, next: start ?? 0, step, isLoose }));
  }

  /** @param number when the item has one of its own */
  enterItem(number?: number): void {
    const list = this.innermost();
    let marker = '- ';
    if (list.kind === 'list' && /[.)]/.test(list.bullet)) {
      const own = Math.min(MAX_NUMBER, Math.max(0, Math.trunc(number ?? list.next)));
      marker = `${own}${list.bullet} `;
      list.next = own + list.step;
    } else if (list.kind === 'list') marker = `${list.bullet} `;
    this.enter(container({ kind: 'item', marker, indent: ' '.repeat(marker.length) }));
  }

  /** Continues the item before, which is the term that is defined. */
  enterDefinition(): void {
    const list = this.innermost();
    if (list.kind === 'list' && list.blocks > 0)
      this.enter(container({ kind: 'item', indent: '  ', blocks: 1 }));
    else this.enterItem();
  }

  enterQuote(): void {
    this.enter(container({ indent: '> ', marker: '> ' }));
  }

  enterNote(label: string): void {
    this.enter(container({ marker: `[^${label}]: `, indent: '    ' }));
  }

  leave(): void {
    if (this.excess > 0) {
      this.excess -= 1;
      return;
    }
    if (this.containers.length === 1) return;
    const left = this.containers.pop();
    if (left?.kind === 'list' && left.blocks > 0) this.innermost().lastBullet = left.bullet;
  }

  /** Whether the block to come is the first one of an item. */
  isItemStart(): boolean {
    const { kind, marker } = this.innermost();
    return kind === 'item' && marker !== '';
  }

  write(lines: readonly string[]): void {
    if (this.parts.length > 0) this.push(this.isTight() ? '\n' : `\n${this.commonIndent()}\n`);
    const first = this.containers.map(({ marker, indent }) => marker || indent).join('');
    const indent = this.containers.map((each) => each.indent).join('');
    this.countBlock();
    this.push(lines.map((line, i) => prefixed(i === 0 ? first : indent, line)).join('\n'));
    this.last = [...this.containers];
  }

  private push(part: string): void {
    this.parts.push(part);
    this.length += part.length;
  }

  private innermost(): Container {
    return this.containers.at(-1) as Container;
  }

  private enter(one: Container): void {
    if (this.containers.length === MAX_DEPTH) this.excess += 1;
    else this.containers.push(one);
  }

  /** Updates the containers for a block that is written in the innermost of them. */
  private countBlock(): void {
    const { length } = this.containers;
    this.containers.forEach((each, i) => {
      if (each.kind === 'item' && each.marker !== '') {
        const list = this.containers[i - 1];
        if (list?.kind === 'list') list.blocks += 1;
      }
      each.marker = '';
      if (i < length - 1) return;
      each.blocks += 1;
      each.lastBullet = '';
      const list = this.containers[i - 1];
      if (each.kind === 'item' && each.blocks > 1 && list) list.isLoose = true;
    });
  }

  /** Whether no empty line is before the block: it begins an item after a short one, or a list right after the text of an item. */
  private isTight(): boolean {
    const at = this.containers.findIndex(({ kind, marker }) => kind === 'item' && marker !== '');
    const list = this.containers[at - 1];
    if (list?.kind !== 'list' || list.isLoose) return false;
    if (list.blocks > 0) return true;
    // A list that begins with another number would go on as the text.
    const interrupts = /^(?:[-*]|1[.)]) $/.test(this.containers[at]?.marker ?? '');
    const around = this.containers[at - 2];
    return interrupts && around?.kind === 'item' && around.blocks === 1;
  }

  private commonIndent(): string {
    const common = this.containers.filter((each) => this.last.includes(each));
    return common
      .map(({ indent }) => indent)
      .join('')
      .trimEnd();
  }
}

/** An empty line has no spaces at its end; at the end of others they are a line break. */
function prefixed(prefix: string, line: string): string {
  return line === '' ? prefix.trimEnd() : prefix + line;
}

function container(values: Partial<Container>): Container {
  return {
    kind: 'other',
    marker: '',
    indent: '',
    blocks: 0,
    bullet: '',
    step: 1,
    next: 0,
    isLoose: false,
    lastBullet: '',
    ...values,
  };
}
