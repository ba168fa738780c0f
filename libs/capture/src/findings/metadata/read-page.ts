import type { SafeAccess } from '../../pipeline/in-page.js';
import { absoluteUrl, PageCollector, shortText, type ReadLimits, type WalkLists } from './page-collector.js';
import { PageWalk } from './page-walk.js';
import { familyName, isInstalled, usedFonts } from './used-fonts.js';
import { WordCounter } from './word-counter.js';

/** A `link` element of the document; its URL is absolute. */
export interface RawHeadLink {
  readonly rel: string;
  readonly url: string;
  readonly sizes: string;
  readonly type: string;
  readonly title: string;
}

/** What the reader reports about a page. The page decides what is in it, and may lie. */
export interface RawPage extends WalkLists {
  readonly url: string;
  /** What relative URLs are relative to. */
  readonly base: string;
  readonly title: string;
  readonly lang: string;
  /** The `meta` elements with names of which something is known. */
  readonly meta: readonly (readonly [name: string, content: string])[];
  readonly headLinks: readonly RawHeadLink[];
  readonly jsonLd: readonly string[];
  /** What microdata, the text of a link to the author, and `time` elements say. */
  readonly authors: readonly string[];
  readonly dates: readonly string[];
  readonly fonts: readonly string[];
  readonly words: number;
  /** Links beyond the limits. */
  readonly moreLinks: number;
  /** The names of the fields that are incomplete. */
  readonly cut: readonly string[];
}

/** What reads a document: its limits, and the fields that are incomplete so far. */
interface Reading {
  readonly limits: ReadLimits;
  readonly safe: SafeAccess;
  readonly cut: Set<string>;
}

/** Runs in the page. */
function readPage(limits: ReadLimits, safe: SafeAccess): RawPage {
  const page = safe(document);
  const reading: Reading = { limits, safe, cut: new Set() };
  // Despite the DOM types there may be no root.
  const root = page.documentElement as Element | null;
  const lang = (root && (safe(root).getAttribute('lang') ?? safe(root).getAttribute('xml:lang'))) ?? '';
  const head = {
    url: page.URL.slice(0, 4 * limits.text),
    base: page.baseURI.slice(0, 4 * limits.text),
    title: shortText(page.title, limits.text),
    lang: shortText(lang, limits.text),
    meta: readMeta(reading),
    headLinks: readHeadLinks(reading),
    jsonLd: readJsonLd(reading),
    authors: readFirst(reading, ['[itemprop~="author"]', 'a[rel~="author"]']),
    dates: readFirst(reading, [
      '[itemprop~="datePublished"]',
      'time[pubdate]',
      ':is(article, main) time[datetime]',
    ]),
  };
  // The layout is computed in any case, for the file.
  if (root) safe(root).getBoundingClientRect();
  const until = performance.now() + limits.timeMs;
  const words = new WordCounter();
  const collector = new PageCollector(limits, page.baseURI, reading.cut);
  if (root) new PageWalk(limits, safe, { collector, words, until }).visit(root);
  const { headings, links, images, families, moreLinks } = collector;
  const fonts = usedFonts(families, page.fonts, { limits, cut: reading.cut, until });
  return {
    ...head,
    headings,
    links: [...links.values()],
    images: [...images.values()],
    fonts,
    words: words.count,
    moreLinks,
    cut: [...reading.cut],
  };
}

function readMeta({ limits, safe, cut }: Reading): RawPage['meta'] {
  const all = safe(document).getElementsByTagName('meta');
  const known =
    /^(?:(?:og|twitter|article|book|profile|music|video|product):|(?:dc|dcterms)\.(?:date|created|issued)|(?:description|robots|author|date|pubdate|datepublished)$)/;
  const found: [string, string][] = [];
  const { length } = all;
  for (let at = 0; at < length; at += 1) {
    if (at === 2 * limits.items || found.length >= limits.items) {
      for (const name of ['description', 'robots', 'author', 'published', 'open_graph', 'twitter'])
        cut.add(name);
      break;
    }
    const element = all.item(at);
    const content = element?.getAttribute('content') ?? '';
    // Some pages give one element both `name` and `property`.
    for (const attribute of ['property', 'name', 'itemprop']) {
      const name = element?.getAttribute(attribute)?.slice(0, 200).trim().toLowerCase() ?? '';
      if (known.test(name) && content !== '') found.push([name, shortText(content, limits.text)]);
    }
  }
  return found;
}

function readHeadLinks({ limits, safe, cut }: Reading): RawHeadLink[] {
  const page = safe(document);
  const all = page.getElementsByTagName('link');
  const known = /(?:^| )(?:canonical|icon|apple-touch-icon(?:-precomposed)?|mask-icon|alternate)(?: |$)/;
  const found: RawHeadLink[] = [];
  const { length } = all;
  for (let at = 0; at < length; at += 1) {
    if (at === 2 * limits.items) {
      for (const name of ['canonical', 'icons', 'feeds']) cut.add(name);
      break;
    }
    const element = all.item(at);
    const read = (name: string): string => shortText(element?.getAttribute(name) ?? '', limits.text);
    const rel = read('rel').toLowerCase();
    if (!known.test(rel)) continue;
    const field = /\bicon\b/.test(rel) ? 'icons' : rel.includes('canonical') ? 'canonical' : 'feeds';
    const type = read('type').toLowerCase();
    if (field === 'feeds' && !/^application\/(?:rss|atom|rdf|feed)\+(?:xml|json)/.test(type)) continue;
    const href = element?.getAttribute('href') ?? '';
    const url = href === '' ? '' : absoluteUrl(href, page.baseURI, limits.text);
    if (url === null) cut.add(field);
    else if (url !== '') found.push({ rel, url, sizes: read('sizes'), type, title: read('title') });
  }
  return found;
}

/** The texts of the scripts that hold JSON-LD. One that is too long is left out: its beginning is no JSON. */
function readJsonLd({ limits, safe, cut }: Reading): string[] {
  const { scripts } = safe(document);
  const found: string[] = [];
  let room = limits.listText;
  const { length } = scripts;
  for (let at = 0; at < length; at += 1) {
    if (at === 5 * limits.items || found.length === limits.items) {
      cut.add('json_ld');
      break;
    }
    const script = scripts.item(at);
    if (!/^\s*application\/ld\+json\s*(?:;|$)/i.test((script?.getAttribute('type') ?? '').slice(0, 200)))
      continue;
    let text = '';
    let node = script?.firstChild ?? null;
    for (let parts = 0; node && text.length <= room && parts < limits.items; parts += 1) {
      if (node instanceof Text) text += node.substringData(0, room + 1);
      node = node.nextSibling;
    }
    if (node || text.length > room) cut.add('json_ld');
    else if (text !== '') room -= found.push(text) && text.length;
  }
  return found;
}

/** What the first element of each selector says: an attribute that is made for it, or its text. */
function readFirst({ limits, safe }: Reading, selectors: readonly string[]): string[] {
  return selectors.flatMap((selector) => {
    const element = safe(document).querySelector(selector);
    if (!element) return [];
    const own = safe(element);
    const value =
      own.getAttribute('content') ?? own.getAttribute('datetime') ?? textOf(element, limits.text, safe);
    return [shortText(value, limits.text)];
  });
}

/** The beginning of the text of an element; its name, if it is a thing with properties of its own. */
function textOf(element: Element, max: number, safe: SafeAccess): string {
  const named = safe(element).querySelector('[itemprop~="name"]');
  const start = named ?? element;
  const content = safe(start).getAttribute('content');
  if (content !== null) return content;
  const walker = safe(document).createTreeWalker(start, NodeFilter.SHOW_TEXT);
  let text = '';
  for (let nodes = 0; nodes < max && text.length <= max && walker.nextNode(); nodes += 1) {
    text += (walker.currentNode as Text).substringData(0, max);
  }
  return text;
}

/** Reads a page, in the page. */
export const PAGE_READER = {
  run: readPage,
  uses: [
    PageWalk,
    PageCollector,
    WordCounter,
    shortText,
    absoluteUrl,
    usedFonts,
    isInstalled,
    familyName,
    readMeta,
    readHeadLinks,
    readJsonLd,
    readFirst,
    textOf,
  ],
};
