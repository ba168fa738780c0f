import type { AppError } from '@app/kernel';
import { JsonExtent, type JsonLimits } from './json-extent.js';
import { excess, syntaxError } from './json-fault.js';

/** All headers of a capture together have 16 kB. */
const MAX_NAME = 16_384;
const MAX_NUMBER = 1_000;

const [TAB, LF, CR, SPACE, QUOTE, COMMA, COLON, BACKSLASH] = [0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const UNICODE_ESCAPE = 0x75;
const ESCAPES = tableOf('"\\/bfnrtu');
const HEX_DIGITS = tableOf('0123456789ABCDEFabcdef');
/** A number, `true`, `false` or `null`. */
const WORD = /^(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$/;
const ENDS_WORD = tableOf('\t\n\r ",:[]{}');

const LIST_BEGUN = 'value or close bracket expected';
const OBJECT_BEGUN = 'property name or close brace expected';

/** What must come next, in the words of the error when it does not; or what is being read. */
type Next =
  | 'value expected'
  | typeof LIST_BEGUN
  | 'property name expected'
  | typeof OBJECT_BEGUN
  | 'colon expected'
  | 'comma expected'
  | 'end of file expected'
  | 'text'
  | 'word';

/**
 * Checks the syntax and the extent of JSON while its bytes arrive, so that a body is refused at its first excess, before
 * anything is made of it. `JSON.parse` takes what it accepts, unless that is not UTF-8.
 */
export class JsonScanner {
  readonly extent: JsonExtent;

  private bytes: Buffer = Buffer.alloc(0);
  private at = 0;
  private next: Next = 'value expected';
  /** The first byte of the text or word that is being read. */
  private start = 0;
  private isName = false;
  /** The bytes of the text that are no characters of their own. */
  private extraBytes = 0;
  private maxText = 0;

  constructor(limits: JsonLimits) {
    this.extent = new JsonExtent(limits);
  }

  /**
   * @param bytes all that have arrived: those of the call before, and more
   * @throws AppError `invalid_request`, `payload_too_large`
   */
  scan(bytes: Buffer): void {
    const end = bytes.length;
    this.bytes = bytes;
    this.extent.bytes = bytes;
    if (this.at === 0 && bytes[0] === BYTE_ORDER_MARK[0]) {
      if (end < BYTE_ORDER_MARK.length) return;
      if (bytes.indexOf(BYTE_ORDER_MARK) === 0) this.at = BYTE_ORDER_MARK.length;
    }
    while (this.at < end) {
      if (this.next === 'text' || this.next === 'word') {
        const isOver = this.next === 'text' ? this.readText(end) : this.readWord(end);
        if (!isOver) break;
      } else this.readToken(bytes[this.at] ?? 0);
    }
    this.extent.assertSmall(end, this.next === 'text' ? this.at - this.start : 0);
  }

  /** @throws AppError `invalid_request` when the value is incomplete */
  finish(): void {
    this.at = this.bytes.length;
    if (this.next === 'word') this.endWord();
    if (this.next === 'end of file expected') return;
    if (this.next === 'text') throw this.fault('unexpected end of string');
    const mayClose = this.next.includes('close') || this.next === 'comma expected';
    const closing = this.extent.isInList ? 'close bracket expected' : 'close brace expected';
    throw this.fault(mayClose ? closing : this.next);
  }

  private readToken(byte: number): void {
    if (byte === SPACE || byte === LF || byte === CR || byte === TAB) this.at++;
    else if (this.next === 'comma expected') this.readSeparator(byte);
    else if (this.next === 'colon expected' && byte === COLON) this.advance('value expected');
    else if (this.next === 'colon expected' || this.next === 'end of file expected')
      throw this.fault(this.next);
    else if (this.next === 'value expected' || this.next === LIST_BEGUN) this.readValue(byte);
    else this.readName(byte);
  }

  private readValue(byte: number): void {
    if (byte === CLOSE_LIST && this.next === LIST_BEGUN) {
      this.close();
      return;
    }
    if (byte === COMMA || byte === COLON || byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      throw this.fault('value expected');
    }
    this.extent.begin(this.at);
    if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      this.extent.open(byte === OPEN_LIST, this.at);
      this.advance(byte === OPEN_LIST ? LIST_BEGUN : OBJECT_BEGUN);
    } else if (byte === QUOTE) this.beginText(false, this.extent.maxText());
    else {
      this.start = this.at;
      this.next = 'word';
    }
  }

  private readName(byte: number): void {
    if (byte === QUOTE) this.beginText(true, MAX_NAME);
    else if (byte === CLOSE_OBJECT && this.next === OBJECT_BEGUN) this.close();
    else throw this.fault('property name expected');
  }

  private readSeparator(byte: number): void {
    const { isInList } = this.extent;
    if (byte === COMMA) this.advance(isInList ? 'value expected' : 'property name expected');
    else if (byte === (isInList ? CLOSE_LIST : CLOSE_OBJECT)) this.close();
    else throw this.fault('comma expected');
  }

  private advance(next: Next): void {
    this.at++;
    this.next = next;
  }

  private close(): void {
    this.at++;
    this.extent.close(this.at);
    this.endValue();
  }

  private endValue(): void {
    this.extent.end(this.at);
    this.next = this.extent.isOpen ? 'comma expected' : 'end of file expected';
  }

  private beginText(isName: boolean, maxText: number): void {
    this.start = this.at;
    this.isName = isName;
    this.maxText = maxText;
    this.extraBytes = 2;
    this.advance('text');
  }

  /** Returns whether the text has ended. */
  private readText(end: number): boolean {
    const { bytes } = this;
    let { at } = this;
    let continuations = 0;
    while (at < end) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE || byte === BACKSLASH || byte < SPACE) break;
      // All bytes of a character but its first.
      if (byte >= 0x80 && byte < 0xc0) continuations++;
      at++;
    }
    this.at = at;
    this.extraBytes += continuations;
    if (at + 1 - this.start - this.extraBytes > this.maxText) throw this.tooLong();
    if (at === end) return false;
    if (bytes[at] === BACKSLASH) return this.readEscape(end);
    if (bytes[at] !== QUOTE) throw this.fault('invalid character');
    this.at++;
    this.endText();
    return true;
  }

  /** Returns whether it has arrived whole. */
  private readEscape(end: number): boolean {
    const { bytes, at } = this;
    if (at + 1 === end) return false;
    const kind = bytes[at + 1] ?? 0;
    if (!ESCAPES[kind]) throw this.fault('invalid escape character');
    const length = kind === UNICODE_ESCAPE ? 6 : 2;
    for (let digit = at + 2; digit < at + length && digit < end; digit++) {
      if (!HEX_DIGITS[bytes[digit] ?? 0]) throw this.fault('invalid unicode');
    }
    if (at + length > end) return false;
    this.at = at + length;
    this.extraBytes += length - 1;
    return true;
  }

  private endText(): void {
    if (this.isName) {
      this.extent.addName(this.start, this.at);
      this.next = 'colon expected';
    } else {
      this.extent.addText(this.at - this.start);
      this.endValue();
    }
  }

  /** Returns whether the word has ended. */
  private readWord(end: number): boolean {
    while (this.at < end && !ENDS_WORD[this.bytes[this.at] ?? 0]) this.at++;
    if (this.at - this.start > MAX_NUMBER) {
      throw excess(
        this.extent.path(),
        'out_of_range',
        `must not be a number of more than ${MAX_NUMBER} characters`,
      );
    }
    if (this.at === end) return false;
    this.endWord();
    return true;
  }

  private endWord(): void {
    const end = this.at;
    const { bytes, start } = this;
    if (!isDigit(bytes, start, end) && !WORD.test(bytes.toString('latin1', start, end))) {
      this.at = start;
      throw this.fault('invalid symbol');
    }
    this.endValue();
  }

  private tooLong(): AppError {
    const [code, path] = ['wrong_length', this.extent.path()] as const;
    const detail = `must be at most ${this.maxText} characters long`;
    return this.isName
      ? excess(path.slice(0, -1), code, `must have names of at most ${MAX_NAME} characters`)
      : excess(path, code, detail);
  }

  private fault(words: string): AppError {
    return syntaxError(words, this.bytes, this.at);
  }
}

/** Says of each byte whether it is one of these characters. */
function tableOf(characters: string): readonly boolean[] {
  return Array.from({ length: 256 }, (_, byte) => characters.includes(String.fromCharCode(byte)));
}

/** The most frequent word of a hostile list, for which no text is made. */
function isDigit(bytes: Buffer, start: number, end: number): boolean {
  const byte = bytes[start] ?? 0;
  return end - start === 1 && byte >= 0x30 && byte <= 0x39;
}
