/**
 * Maps the URLs of a style sheet or of declarations: `url()`, the strings of `@import` and of `image-set()`. Everything else
 * stays as it is, and so does a URL that `map` returns unchanged. The time is linear in the length, whatever the page writes.
 *
 * It also runs in the page, and stands alone.
 */
export class CssUrls {
  /** What a URL can be in, or hides what looks like one. */
  private readonly start = /\/\*|["'()]|(?<![\w-])(?:url|(?:-webkit-)?image-set)\(|@import(?![\w-])/gi;
  private readonly inString = {
    '"': /[^"\\\n]*(?:\\[^][^"\\\n]*)*/y,
    "'": /[^'\\\n]*(?:\\[^][^'\\\n]*)*/y,
  };
  private readonly unquoted = /[^"'()\\\s]*(?:\\(?:[0-9a-f]{1,6}\s?|[^])[^"'()\\\s]*)*/iy;
  private readonly space = /\s*/y;
  private readonly parts: string[] = [];
  /** Up to where the text is in `parts`. */
  private copied = 0;
  /** For each open parenthesis, whether it is that of `image-set()`. */
  private readonly open: boolean[] = [];

  constructor(
    private readonly css: string,
    private readonly map: (url: string) => string,
  ) {}

  mapped(): string {
    const { css, start } = this;
    let isImport = false;
    for (let found = start.exec(css); found; found = start.exec(css)) {
      const [token] = found;
      if (token === '/*') start.lastIndex = this.endOfComment(start.lastIndex);
      else if (token === '"' || token === "'")
        start.lastIndex = this.readString(found.index, token, isImport || this.open.at(-1) === true);
      else if (/^url\($/i.test(token)) start.lastIndex = this.readUrl(found.index, start.lastIndex);
      else if (token === ')') this.open.pop();
      else if (!token.startsWith('@')) this.open.push(token !== '(');
      isImport = token.startsWith('@') || (token === '/*' && isImport);
    }
    return this.parts.join('') + css.slice(this.copied);
  }

  private endOfComment(inside: number): number {
    const end = this.css.indexOf('*/', inside);
    return end < 0 ? this.css.length : end + 2;
  }

  /** Returns the end of a string that begins at `from`. */
  private readString(from: number, quote: '"' | "'", isUrl: boolean): number {
    const end = this.endOf(this.inString[quote], from + 1);
    const after = Math.min(this.css.length, end + 1);
    if (isUrl) this.replace({ from, after, url: this.css.slice(from + 1, end) }, (text) => text);
    return after;
  }

  /** Returns where to read on after `url(`, which stands before `inside`. */
  private readUrl(from: number, inside: number): number {
    const { css } = this;
    let start = this.endOf(this.space, inside);
    const quote = css[start];
    const isQuoted = quote === '"' || quote === "'";
    if (isQuoted) start += 1;
    const end = this.endOf(isQuoted ? this.inString[quote] : this.unquoted, start);
    const close = this.endOf(this.space, Math.min(css.length, isQuoted ? end + 1 : end));
    // The end of the text closes it, too. Anything else is no URL.
    if (close < css.length && css[close] !== ')') return close;
    const after = Math.min(css.length, close + 1);
    this.replace({ from, after, url: css.slice(start, end) }, (text) => `url(${text})`);
    return after;
  }

  private endOf(pattern: RegExp, at: number): number {
    pattern.lastIndex = at;
    pattern.test(this.css);
    return pattern.lastIndex;
  }

  private replace(
    { from, after, url }: { readonly from: number; readonly after: number; readonly url: string },
    wrap: (text: string) => string,
  ): void {
    const plain = this.unescaped(url);
    const mapped = this.map(plain);
    if (mapped === plain) return;
    const quoted = `"${mapped.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\a ')}"`;
    this.parts.push(this.css.slice(this.copied, from), wrap(quoted));
    this.copied = after;
  }

  private unescaped(text: string): string {
    if (!text.includes('\\')) return text;
    const escapes = /\\(?:([0-9a-f]{1,6})\s?|\r?\n|([^]))/gi;
    return text.replace(escapes, (_, code?: string, char = '') =>
      code === undefined ? String(char) : String.fromCodePoint(Math.min(parseInt(code, 16), 0x10ffff)),
    );
  }
}
