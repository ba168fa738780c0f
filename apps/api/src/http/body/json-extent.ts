import { AppError } from '@app/kernel';
import { excess } from './json-fault.js';

/** No option nests deeper than 3 levels, and no call of MCP deeper than 8. */
const MAX_DEPTH = 32;
/** More than any object or list of a capture may have. */
const MAX_ENTRIES = 200;
/** A capture has fewer: its options with 10 outputs, 100 headers, 100 cookies and all lists at their limits. */
const MAX_VALUES = 5_000;
/** The rows of a batch have fewer in all: 10,000 rows with fifty values each. */
const MAX_LIST_VALUES = 500_000;
/** The longest text besides `html` is a script, which may have 100,000 characters; a few count here, but not there. */
const MAX_TEXT = 131_072;
const MAX_HTML = 1_048_576;

/** How large a JSON body may be. */
export interface JsonLimits {
  /** The whole body, after decompression. */
  readonly bytes: number;
  /** Everything but the texts named `html` and the items of `list`. */
  readonly smallBytes: number;
  /** The field of the body whose items are captures of their own. */
  readonly list?: JsonList;
}

interface JsonList {
  readonly name: string;
  readonly maxItems: number;
  readonly tooMany: () => AppError;
}

/** An object or a list that is open. */
interface Level {
  readonly isList: boolean;
  /** Whether it is the list of the limits, which may have more entries. */
  readonly hasItems: boolean;
  entries: number;
  /** Where the latest name of an object stands, with its quotes. */
  nameStart: number;
  nameEnd: number;
}

const HTML = Buffer.from('"html"');

/** Counts what a JSON body contains, and refuses the first value that is more than any route may have. */
export class JsonExtent {
  /** Where the items of the list begin and end, alternately. */
  readonly itemOffsets: number[] = [];
  /** Where the list begins and ends, with its brackets; undefined without one. */
  list: { readonly start: number; end: number } | undefined;

  /** What has arrived of the body. */
  bytes: Buffer = Buffer.alloc(0);

  private readonly levels: Level[] = [];
  private values = 0;
  private listValues = 0;
  private htmlBytes = 0;

  constructor(private readonly limits: JsonLimits) {}

  get isOpen(): boolean {
    return this.levels.length > 0;
  }

  get isInList(): boolean {
    return this.levels.at(-1)?.isList === true;
  }

  open(isList: boolean, at: number): void {
    if (this.levels.length === MAX_DEPTH) throw excess(this.path(), 'too_deep', 'is nested too deeply');
    const hasItems =
      isList && this.levels.length === 1 && this.nameOf(this.levels[0]) === this.limits.list?.name;
    if (hasItems) {
      if (this.list) throw excess(this.path(), 'repeated', 'must be stated once');
      this.list = { start: at, end: at };
    }
    this.levels.push({ isList, hasItems, entries: 0, nameStart: 0, nameEnd: 0 });
  }

  close(end: number): void {
    const level = this.levels.pop();
    if (level?.hasItems && this.list) this.list.end = end;
  }

  /** A name of the object that is open; its quotes are part of it. */
  addName(start: number, end: number): void {
    const level = this.levels.at(-1);
    if (!level) return;
    level.nameStart = start;
    level.nameEnd = end;
    this.addEntry(level);
  }

  /** The first byte of a value. */
  begin(at: number): void {
    const level = this.levels.at(-1);
    if (level?.isList !== true) return;
    this.addEntry(level);
    if (!level.hasItems) return;
    this.itemOffsets.push(at);
    this.values = 0;
  }

  /** The end of a value that is an item, if it is one. */
  end(at: number): void {
    if (this.levels.length === 2 && this.levels[1]?.hasItems) this.itemOffsets.push(at);
  }

  /** How many characters the text that begins here may have. */
  maxText(): number {
    return this.isHtml() ? MAX_HTML : MAX_TEXT;
  }

  /** @param bytes of a text that has ended */
  addText(bytes: number): void {
    if (this.isHtml() && !this.isInItem()) this.htmlBytes += bytes;
  }

  /**
   * @param read bytes so far
   * @param textBytes of them, those of the text that is being read
   */
  assertSmall(read: number, textBytes: number): void {
    const listBytes = this.list ? (this.isInItem() ? read : this.list.end) - this.list.start : 0;
    const html = this.htmlBytes + (textBytes > 0 && this.isHtml() && !this.isInItem() ? textBytes : 0);
    const { smallBytes, list } = this.limits;
    if (read - listBytes - html <= smallBytes) return;
    const large = list ? `html and ${list.name}` : 'html';
    throw new AppError('payload_too_large', {
      detail: `A JSON body may have at most ${smallBytes} bytes (${smallBytes / 1_048_576} MB) besides ${large}.`,
    });
  }

  /** The names and indices that lead to the value that is being read. */
  path(): (string | number)[] {
    return this.levels.map((level) => (level.isList ? Math.max(0, level.entries - 1) : this.nameOf(level)));
  }

  private addEntry(level: Level): void {
    level.entries++;
    this.values++;
    const { list } = this.limits;
    if (level.hasItems && list && level.entries > list.maxItems) throw list.tooMany();
    if (!level.hasItems && level.entries > MAX_ENTRIES) {
      throw excess(this.path().slice(0, -1), 'too_many', `must have at most ${MAX_ENTRIES} entries`);
    }
    if (this.isInItem()) this.listValues++;
    if (this.values > MAX_VALUES) {
      const item = this.isInItem() ? this.path().slice(0, 2) : [];
      throw excess(item, 'too_many', `must have at most ${MAX_VALUES} values in all`);
    }
    if (this.listValues > MAX_LIST_VALUES) {
      throw new AppError('payload_too_large', {
        detail: `The rows of a batch may have at most ${MAX_LIST_VALUES} values in all.`,
      });
    }
  }

  private isInItem(): boolean {
    return this.levels[1]?.hasItems === true;
  }

  private isHtml(): boolean {
    const level = this.levels.at(-1);
    if (level === undefined || level.nameEnd - level.nameStart !== HTML.length) return false;
    return HTML.compare(this.bytes, level.nameStart, level.nameEnd) === 0;
  }

  private nameOf(level: Level | undefined): string {
    if (level === undefined || level.nameEnd === 0) return '';
    return JSON.parse(this.bytes.toString('utf8', level.nameStart, level.nameEnd)) as string;
  }
}
