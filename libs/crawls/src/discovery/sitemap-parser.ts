import { StringDecoder } from 'node:string_decoder';
import sax from 'sax';

/** What a sitemap names: pages, or further sitemaps. */
export interface SitemapEntry {
  readonly kind: 'page' | 'sitemap';
  readonly url: string;
}

/** A sitemap has four levels. What is deeper is made to use up memory. */
const MAX_LEVELS = 32;

/** A comment of 50 MB exceeds a limit of the parser with each part that arrives. */
const MAX_FAULTS = 100;

/** Longer than any address that is captured. */
const MAX_LOCATION = 10_000;

/** What the root of a sitemap is called; the kind of its entries follows from the element around `loc`. */
const ROOTS = new Set(['urlset', 'sitemapindex']);

/**
 * Reads a sitemap while it arrives: `urlset`, `sitemapindex`, or a text with an address on each line. A document type is skipped, so
 * that no entity of it is ever expanded, and faults of the XML are skipped as well: what is left is read.
 */
export class SitemapParser {
  /** Whether it is a sitemap at all. */
  isSitemap = false;
  private readonly parser = sax.parser(false, { lowercase: true });
  private readonly decoder = new StringDecoder('utf8');
  private readonly path: string[] = [];
  private found: SitemapEntry[] = [];
  private location = '';
  private form: 'xml' | 'text' | undefined;
  private line = '';
  private isOver = false;
  private faults = 0;

  constructor() {
    const { parser } = this;
    parser.onopentag = ({ name, attributes }) => {
      this.open(localName(name), attributes as Readonly<Record<string, string>>);
    };
    parser.onclosetag = () => {
      this.close();
    };
    parser.ontext = parser.oncdata = (text) => {
      if (this.path.at(-1) === 'loc' && this.location.length < MAX_LOCATION) this.location += text;
    };
    parser.onerror = () => {
      // The parser goes on behind the fault, which is of its own limits: faults of a document are none to it.
      this.faults += 1;
      if (this.faults > MAX_FAULTS) this.isOver = true;
      (parser as unknown as { error: Error | null }).error = null;
    };
  }

  /** The entries that are complete with this part of the document. */
  read(part: Buffer): SitemapEntry[] {
    if (!this.isOver) this.parse(this.decoder.write(part));
    return this.pop();
  }

  /** The rest of the entries, at the end of the document. */
  end(): SitemapEntry[] {
    if (this.form === 'text') this.parseLines(`${this.decoder.end()}\n`);
    return this.pop();
  }

  private parse(text: string): void {
    this.form ??= formOf(text);
    if (this.form === 'xml') this.parser.write(text);
    else if (this.form === 'text') this.parseLines(text);
  }

  private parseLines(text: string): void {
    const lines = (this.line + text).split(/\r\n|\r|\n/);
    this.line = (lines.pop() ?? '').slice(0, MAX_LOCATION);
    for (const line of lines) this.add('page', line);
    this.isSitemap ||= this.found.length > 0;
  }

  private open(name: string, attributes: Readonly<Record<string, string>>): void {
    this.path.push(name);
    if (this.path.length > MAX_LEVELS) this.isOver = true;
    if (this.path.length === 1) {
      this.isSitemap = ROOTS.has(name);
      this.isOver ||= !this.isSitemap;
    }
    this.location = '';
    // The same page in other languages.
    if (name === 'link' && this.path.at(-2) === 'url') this.add('page', attributes.href ?? '');
  }

  private close(): void {
    if (this.path.pop() !== 'loc') return;
    const around = this.path.at(-1);
    if (around === 'url') this.add('page', this.location);
    if (around === 'sitemap') this.add('sitemap', this.location);
  }

  private add(kind: SitemapEntry['kind'], text: string): void {
    const url = text.trim();
    if (!this.isOver && /^https?:\/\//i.test(url)) this.found.push({ kind, url });
  }

  private pop(): SitemapEntry[] {
    const { found } = this;
    this.found = [];
    return found;
  }
}

/** `image:loc` of an image sitemap stands in `image:image`, so that its place tells it from the address of a page. */
function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function formOf(text: string): 'xml' | 'text' | undefined {
  const start = text.replace(/^\uFEFF/, '').trimStart();
  if (start === '') return undefined;
  return start.startsWith('<') ? 'xml' : 'text';
}
