/** Where the reader stops. A page can be as long as its memory allows. */
export interface ReadLimits {
  /** Items of each list. */
  readonly items: number;
  /** Characters of each text and of each URL. */
  readonly text: number;
  /** Characters of each list. */
  readonly listText: number;
  /** Nodes that are visited. */
  readonly nodes: number;
  /** Levels of elements. */
  readonly depth: number;
  /** Time of the walk in ms. What is read before it is short. */
  readonly timeMs: number;
}

/** The lists of a walk, as the page has them. An alternative text that is missing is null, a size that is not known 0. */
export interface WalkLists {
  readonly headings: readonly (readonly [level: number, text: string])[];
  readonly links: readonly (readonly [url: string, text: string, rel: string])[];
  readonly images: readonly (readonly [url: string, alt: string | null, width: number, height: number])[];
}

/** The text of a heading or link, from its start to its end. */
export interface OpenText {
  text: string;
  /** Hidden parts of what is displayed are left out. All of something hidden is hidden. */
  readonly isRendered: boolean;
  readonly end: (text: string) => void;
}

/** Runs in the page: collects headings, links, images and the font families of texts, up to the limits. */
export class PageCollector {
  readonly headings: [level: number, text: string][] = [];
  readonly links = new Map<string, [url: string, text: string, rel: string]>();
  readonly images = new Map<string, WalkLists['images'][number]>();
  /** The font families of texts, as style sheets list them, with the number of characters that have them. */
  readonly families = new Map<string, number>();
  private readonly open = new Set<OpenText>();
  /** Links without room. */
  moreLinks = 0;
  private readonly used = { headings: 0, links: 0, images: 0 };

  /** @param cut receives the names of the fields that are incomplete */
  constructor(
    private readonly limits: ReadLimits,
    private readonly base: string,
    private readonly cut: Set<string>,
  ) {}

  get isTextOpen(): boolean {
    return this.open.size > 0;
  }

  cutAll(): void {
    for (const name of ['headings', 'links', 'images', 'fonts', 'words']) this.cut.add(name);
  }

  /** Starts a heading; null when there is no room. */
  startHeading(level: number): OpenText | null {
    if (!this.hasRoom('headings', this.headings.length)) return null;
    const heading: [number, string] = [level, ''];
    this.headings.push(heading);
    return this.start(true, (text) => {
      heading[1] = this.takeText('headings', text);
    });
  }

  /** Starts a link; null when it is none, or known, or when there is no room. */
  startLink(element: Element, isRendered: boolean): OpenText | null {
    const url = this.urlOf('links', element.getAttribute('href') ?? element.getAttribute('xlink:href'));
    const known = this.links.get(url);
    // The first of several links to the same URL that has a text stands for all of them.
    if (url === '' || (known && known[1] !== '')) return null;
    if (!known && !this.hasRoom('links', this.links.size)) {
      this.moreLinks += 1;
      return null;
    }
    const named = (attribute: string): string => this.takeText('links', element.getAttribute(attribute));
    const link = known ?? [this.takeText('links', url), '', named('rel')];
    this.links.set(url, link);
    return this.start(isRendered, (text) => {
      link[1] ||= this.takeText('links', text) || named('aria-label') || named('alt') || named('title');
    });
  }

  addImage(element: Element, isRendered: boolean): void {
    const img = element instanceof HTMLImageElement ? element : null;
    if (!img && !(element instanceof HTMLInputElement && element.type === 'image')) return;
    const alt = element.getAttribute('alt');
    if (alt !== null) this.addText(` ${alt.slice(0, this.limits.text)} `, isRendered);
    const url = this.urlOf('images', img?.currentSrc || element.getAttribute('src') || null);
    const known = this.images.get(url);
    if (url === '' || known?.[1] || (!known && !this.hasRoom('images', this.images.size))) return;
    const text = alt === null ? null : this.takeText('images', alt);
    const sizes = [img?.naturalWidth ?? 0, img?.naturalHeight ?? 0] as const;
    this.images.set(url, [this.takeText('images', url), text, ...sizes]);
  }

  addFamily(element: Element, characters: number): void {
    const { fontFamily } = getComputedStyle(element);
    const known = this.families.get(fontFamily);
    if (fontFamily.length > this.limits.text || (known === undefined && this.families.size >= 100)) {
      this.cut.add('fonts');
    } else this.families.set(fontFamily, (known ?? 0) + characters);
  }

  /** Adds a text to the headings and links that it is part of. */
  addText(text: string, isRendered: boolean): void {
    for (const open of this.open) {
      const isMissing = open.text.length <= 4 * this.limits.text;
      if (isMissing && (isRendered || !open.isRendered)) open.text += text;
    }
  }

  end(open: OpenText): void {
    this.open.delete(open);
    open.end(open.text);
  }

  private start(isRendered: boolean, end: (text: string) => void): OpenText {
    const open = { text: '', isRendered, end };
    this.open.add(open);
    return open;
  }

  private hasRoom(list: keyof PageCollector['used'], length: number): boolean {
    const isRoom = length < this.limits.items && this.used[list] < this.limits.listText;
    if (!isRoom) this.cut.add(list);
    return isRoom;
  }

  /** A text as an item of a list has it, counted against the limit of the list. */
  private takeText(list: keyof PageCollector['used'], text: string | null): string {
    const taken = shortText(text ?? '', this.limits.text);
    this.used[list] += taken.length;
    return taken;
  }

  private urlOf(list: string, reference: string | null): string {
    const url = reference === null ? '' : absoluteUrl(reference, this.base, this.limits.text);
    if (url === null) this.cut.add(list);
    return url ?? '';
  }
}

/** Runs in the page: a text with white space collapsed, one character longer than the limit when it is cut. */
export function shortText(text: string, max: number): string {
  return text
    .slice(0, 4 * max)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, max + 1);
}

/**
 * Runs in the page: the absolute URL of a reference; empty when it is none, null when it is too long. A `data:` URL is cut
 * to its media type.
 */
export function absoluteUrl(reference: string, base: string, max: number): string | null {
  const data = /^\s*(data:[^,]{0,100},)/i.exec(reference.slice(0, 200));
  if (data?.[1] !== undefined) return data[1];
  if (reference.length > 2 * max) return null;
  const url = URL.parse(reference, base)?.href ?? '';
  return url.length > max ? null : url;
}
