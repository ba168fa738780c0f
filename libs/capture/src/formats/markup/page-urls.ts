import type { CssUrls } from './css-urls.js';

/**
 * Makes the URLs of one document absolute, and remembers which of them are resources that it shows. It also runs in the page,
 * and stands alone.
 */
export class PageUrls {
  private readonly base: string;
  /** Whether `#name` leads to a place in the document. */
  private readonly keepsFragments: boolean;

  constructor(
    page: Document,
    private readonly parts: {
      readonly css: typeof CssUrls;
      /** Absolute URLs without fragments. */
      readonly resources: Set<string>;
      /** The contents of `blob:` URLs, which exist only as long as the page, as `data:` URLs. */
      readonly blobs: ReadonlyMap<string, string>;
    },
    base = page.baseURI,
  ) {
    this.base = base;
    this.keepsFragments = !page.querySelector('base[href]');
  }

  /** A URL with a scheme of its own stays as it is written. */
  absolute(url: string): string {
    const start = url.slice(0, 100).trimStart();
    if (start.startsWith('#') && this.keepsFragments) return url;
    if (/^blob:/i.test(start)) return this.parts.blobs.get(url.trim()) ?? url;
    if (/^(?!https?:)[a-z][a-z0-9+.-]*:/i.test(start)) return url;
    return URL.parse(url, this.base)?.href ?? url;
  }

  /** The absolute URL of something that the document shows. */
  resource(url: string): string {
    if (url.trim() === '') return url;
    const absolute = this.absolute(url);
    if (/^https?:/.test(absolute)) this.parts.resources.add(absolute.split('#', 1)[0] ?? '');
    return absolute;
  }

  css(text: string): string {
    if (!/url\(|@import|image-set/i.test(text)) return text;
    return new this.parts.css(text, (url) => (url.startsWith('#') ? url : this.resource(url))).mapped();
  }

  list(urls: string): string {
    return urls.replace(/\S+/g, (url) => this.absolute(url));
  }

  srcset(text: string): string {
    return this.candidates(text)
      .map(({ url, descriptor }) => `${url} ${descriptor}`.trim())
      .join(', ');
  }

  /** The candidates of a `srcset`, with absolute URLs. */
  candidates(text: string): { readonly url: string; readonly descriptor: string }[] {
    const CANDIDATE = /[\s,]*([^\s,]\S*)/y;
    const DESCRIPTOR = /[^,]*/y;
    const found: { url: string; descriptor: string }[] = [];
    for (let match = CANDIDATE.exec(text); match?.[1] !== undefined; match = CANDIDATE.exec(text)) {
      const url = match[1].replace(/,{1,100}$/, '');
      let descriptor = '';
      if (url === match[1]) {
        DESCRIPTOR.lastIndex = CANDIDATE.lastIndex;
        descriptor = DESCRIPTOR.exec(text)?.[0].trim() ?? '';
        CANDIDATE.lastIndex = DESCRIPTOR.lastIndex;
      }
      found.push({ url: this.absolute(url), descriptor });
    }
    return found;
  }
}
