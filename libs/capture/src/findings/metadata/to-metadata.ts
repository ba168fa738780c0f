import { hostOf, isPlainObject, MAX_TEXT, siteOf } from '@app/kernel';
import type { PageMetadata } from '../../record/page-metadata.js';
import { FieldBounds, FIELDS, isLink, isOnWeb, MAX_ITEMS, type Field } from './field-bounds.js';
import { namesOf, parseJsonLd, topEntities } from './json-ld.js';
import { publishedAt } from './published-at.js';
import type { RawHeadLink } from './read-page.js';

/** The metadata of a page that could not be read: all fields are empty, and named as incomplete. */
export function unreadMetadata(): PageMetadata {
  return toMetadata({ cut: FIELDS });
}

/**
 * Makes metadata of what the page reader returned. A page that took over its renderer could return anything: shapes, lengths and
 * characters are checked, and what does not fit is left out.
 */
export function toMetadata(raw: unknown): PageMetadata {
  return new MetadataWriter(isPlainObject(raw) ? raw : {}).write();
}

type Raw = Readonly<Record<string, unknown>>;

/** The `meta` elements that state a date of publication, in the order of trust. */
const DATE_NAMES = [
  ...['datepublished', 'date', 'pubdate'],
  ...['dc.date', 'dc.date.issued', 'dc.date.created', 'dcterms.date', 'dcterms.issued', 'dcterms.created'],
];

class MetadataWriter {
  private readonly bounds = new FieldBounds();
  /** The `meta` elements by name, in their order. */
  private readonly meta: readonly (readonly [name: string, content: string])[];
  private readonly headLinks: readonly RawHeadLink[];

  constructor(private readonly raw: Raw) {
    for (const field of listOf(raw.cut)) this.bounds.note(field);
    this.meta = listOf(raw.meta)
      .map(listOf)
      .map(([name, content]) => [stringOf(name), stringOf(content)] as const);
    this.headLinks = listOf(raw.headLinks)
      .filter(isPlainObject)
      .map(({ rel, url, sizes, type, title }) => ({
        rel: stringOf(rel),
        url: stringOf(url),
        sizes: stringOf(sizes),
        type: stringOf(type),
        title: stringOf(title),
      }));
  }

  write(): PageMetadata {
    const { raw, bounds } = this;
    const jsonLd = parseJsonLd(listOf(raw.jsonLd), MAX_ITEMS);
    if (jsonLd.isCut) bounds.note('json_ld');
    const about = topEntities(jsonLd.items);
    const links = this.links();
    const fields = {
      title: bounds.text('title', raw.title),
      description: bounds.text('description', this.named('description')[0]),
      lang: bounds.text('lang', raw.lang),
      canonical: this.canonical(),
      robots: bounds.text('robots', this.named('robots').join(', ')),
      author: this.author(about),
      published: this.published(about),
      open_graph: this.properties('open_graph', /^(?:og:|(?=(?:article|book|profile|music|video|product):))/),
      twitter: this.properties('twitter', /^twitter:/),
      icons: this.icons(),
      feeds: this.feeds(),
      json_ld: bounds.list('json_ld', jsonLd.items),
      headings: this.headings(),
      links: links.kept,
      images: this.images(),
      fonts: this.fonts(),
      words: countOf(raw.words),
      more_links: countOf(raw.moreLinks) + links.dropped,
    } satisfies Record<Field, unknown>;
    return { ...fields, truncated: bounds.truncated };
  }

  private canonical(): string | null {
    const link = this.headLinks.find(({ rel }) => /\bcanonical\b/.test(rel));
    const url = link && URL.parse(link.url);
    return url && isOnWeb(url) ? this.bounds.url('canonical', url) : null;
  }

  private author(about: readonly Raw[]): string | null {
    const isName = (text: string): boolean => text !== '' && !/^https?:/.test(text);
    const stated = [
      ...this.named('author'),
      ...about.map(({ author }) => namesOf(author).join(', ')),
      ...this.named('article:author'),
      ...listOf(this.raw.authors).map((each) => stringOf(each)),
    ];
    return this.bounds.text('author', stated.find(isName));
  }

  private published(about: readonly Raw[]): string | null {
    const dates = [
      ...this.named('article:published_time'),
      ...about.map(({ datePublished }) => stringOf(datePublished)),
      ...DATE_NAMES.flatMap((name) => this.named(name)),
      ...listOf(this.raw.dates).map((each) => stringOf(each)),
    ];
    for (const date of dates) {
      const published = publishedAt(date);
      if (published !== undefined) return published;
    }
    return null;
  }

  /** Properties without their prefix. Of several with the same name the first counts, as the Open Graph protocol says. */
  private properties(field: 'open_graph' | 'twitter', prefix: RegExp): Record<string, string> {
    const base = stringOf(this.raw.base);
    const found = new Map<string, string>();
    for (const [name, content] of this.meta) {
      const key = name.replace(prefix, '');
      const isNamed = /^[a-z0-9_][a-z0-9_:.-]{0,99}$/.test(key) && key !== '__proto__';
      if (!prefix.test(name) || !isNamed || found.has(key)) continue;
      const isUrl = /^(?:url|image|video|audio|player)(?::(?:url|secure_url|src|stream))?$/.test(key);
      const url = isUrl ? URL.parse(content, base) : null;
      found.set(key, this.bounds.text(field, url && isOnWeb(url) ? url.href : content) ?? '');
    }
    return Object.fromEntries(this.bounds.list(field, [...found]));
  }

  private icons(): PageMetadata['icons'] {
    const { bounds } = this;
    const icons = this.headLinks.flatMap(({ rel, url: address, sizes, type }) => {
      const url = /\bicon\b/.test(rel) ? bounds.picture('icons', address) : null;
      if (url === null) return [];
      const relation = bounds.text('icons', rel) ?? '';
      return [{ url, rel: relation, sizes: bounds.text('icons', sizes), type: bounds.text('icons', type) }];
    });
    return bounds.list('icons', icons);
  }

  private feeds(): PageMetadata['feeds'] {
    const { bounds } = this;
    const feeds = this.headLinks.flatMap(({ rel, url: address, title, type }) => {
      const parsed = /\balternate\b/.test(rel) && !/\bicon\b/.test(rel) ? URL.parse(address) : null;
      const url = parsed && isOnWeb(parsed) ? bounds.url('feeds', parsed) : null;
      if (url === null) return [];
      return [{ url, title: bounds.text('feeds', title), type: bounds.text('feeds', type) ?? '' }];
    });
    return bounds.list('feeds', feeds);
  }

  private headings(): PageMetadata['headings'] {
    const headings = listOf(this.raw.headings).flatMap((heading) => {
      const [level, words] = listOf(heading);
      const text = this.bounds.text('headings', words);
      return text === null ? [] : [{ level: Math.min(Math.max(countOf(level), 1), 9), text }];
    });
    return this.bounds.list('headings', headings);
  }

  private links(): { readonly kept: PageMetadata['links']; readonly dropped: number } {
    const { bounds } = this;
    const here = URL.parse(stringOf(this.raw.url));
    const site = here && isOnWeb(here) ? siteOf(hostOf(here)) : null;
    const links = listOf(this.raw.links).flatMap((link) => {
      const [address, words, relation] = listOf(link);
      const parsed = URL.parse(stringOf(address));
      const url = parsed && isLink(parsed) ? bounds.url('links', parsed) : null;
      if (!parsed || url === null) return [];
      const [text, rel] = [bounds.text('links', words) ?? '', bounds.text('links', relation) ?? ''];
      return [{ url, text, rel, internal: isOnWeb(parsed) && siteOf(hostOf(parsed)) === site }];
    });
    const kept = bounds.list('links', links);
    return { kept, dropped: links.length - kept.length };
  }

  private images(): PageMetadata['images'] {
    const images = listOf(this.raw.images).flatMap((image) => {
      const [address, stated, width, height] = listOf(image);
      const url = this.bounds.picture('images', stringOf(address));
      if (url === null) return [];
      const alt = typeof stated === 'string' ? (this.bounds.text('images', stated) ?? '') : null;
      return [{ url, alt, width: countOf(width) || null, height: countOf(height) || null }];
    });
    return this.bounds.list('images', images);
  }

  private fonts(): PageMetadata['fonts'] {
    const fonts = listOf(this.raw.fonts).flatMap((font) => this.bounds.text('fonts', font) ?? []);
    return this.bounds.list('fonts', fonts);
  }

  private named(wanted: string): string[] {
    return this.meta
      .filter(([name, content]) => name === wanted && content !== '')
      .map(([, content]) => content);
  }
}

/** A list, up to a length at which it is seen to be cut. */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, 2 * MAX_ITEMS) : [];
}

/** A text, up to a length at which it is seen to be cut. */
function stringOf(value: unknown, max = 2 * MAX_TEXT.content): string {
  return typeof value === 'string' ? value.slice(0, max) : '';
}

function countOf(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.min(Math.round(value), 2 ** 31 - 1) : 0;
}
