import { randomUUID } from 'node:crypto';
import { AppError } from '@app/kernel';
import { EveryFrame } from '../pipeline/every-frame.js';
import type { Visit } from '../pipeline/family.js';
import type { Cleaner } from '../pipeline/visit-slots.js';
import { inPage, type SafeAccess } from '../pipeline/in-page.js';

interface Selectors {
  readonly hide: readonly string[];
  readonly mask: readonly string[];
}

interface Covering extends Selectors {
  /** Class and id by which the styles find what draws a mask. */
  readonly mark: string;
}

/**
 * Hides and masks elements by style sheets of our own, in the page, its frames and their open shadow roots.
 *
 * They are adopted style sheets, which also apply to elements that the page adds later and to print, and are not subject to the
 * page's Content-Security-Policy. A mask is a filter that paints the box of its element in one colour: unlike below an overlay, no
 * pixel or letter of the element remains.
 */
export class PageStyles implements Cleaner {
  private readonly mark = `mask-${randomUUID()}`;

  private constructor(
    private readonly visit: Visit,
    private readonly selectors: Selectors,
    private readonly frames: EveryFrame,
  ) {}

  /** To be called before navigation. */
  static async create(visit: Visit, selectors: Selectors): Promise<PageStyles> {
    return new PageStyles(visit, selectors, await EveryFrame.open(visit));
  }

  /** @throws AppError `selector_not_found` for a selector that the browser does not know; then nothing has changed */
  async add(): Promise<void> {
    const { hide, mask } = this.selectors;
    const unknown = await inPage(this.visit, findUnknown, [...hide, ...mask]);
    if (unknown === null) return void (await this.clean());
    const name = hide.includes(unknown) ? 'hide_selectors' : 'mask_selectors';
    throw new AppError('selector_not_found', { detail: `${name}: the browser does not know ${unknown}` });
  }

  /** Frames and shadow roots may come at any moment. */
  async clean(): Promise<boolean> {
    const covering = { ...this.selectors, mark: this.mark };
    const cover = { run: coverParts, uses: [openParts, drawMask, enforceMask] };
    // Unlike that of a frame, the document of the page is waited for while it navigates.
    const isCovered = await inPage(this.visit, cover, covering);
    const covered = await this.frames.run(cover, covering);
    if (this.selectors.mask.length > 0) await this.frames.run({ run: markOwn, uses: [openParts] }, this.mark);
    return isCovered || covered.includes(true);
  }

  async hasMore(): Promise<boolean> {
    const found = await this.frames.run({ run: hasBareParts, uses: [openParts] }, this.selectors);
    return found.includes(true);
  }
}

/** Runs in the page. Returns the first selector that the browser does not know, or null. */
function findUnknown(selectors: readonly string[], safe: SafeAccess): string | null {
  const page = safe(document);
  const isKnown = (selector: string): boolean => {
    try {
      page.querySelector(selector);
      return true;
    } catch {
      return false;
    }
  };
  return selectors.find((selector) => !isKnown(selector)) ?? null;
}

type Part = Document | ShadowRoot;

/** What the isolated world of a document keeps between two calls, under a symbol: an element's name could shadow a string. */
interface World {
  [key: symbol]: WeakSet<object> | undefined;
}

/** Runs in the page. A document and its open shadow roots, at most 1,000. */
function openParts(page: Document, safe: SafeAccess): Part[] {
  const parts: Part[] = [page];
  for (const part of parts) {
    for (const element of safe(part).querySelectorAll('*')) {
      // Those of frames are of other classes.
      const inner: unknown = Reflect.get(Element.prototype, 'shadowRoot', element);
      if (inner && parts.length < 1_000) parts.push(inner as ShadowRoot);
    }
  }
  return parts;
}

/** Runs in the page. Whether the selectors match in a part that has no styles yet. */
function hasBareParts({ hide, mask }: Selectors, safe: SafeAccess): boolean {
  const covered = (globalThis as unknown as World)[Symbol.for('covered')];
  const bare = openParts(document, safe).filter((part) => covered?.has(part) !== true);
  return bare.some((part) => safe(part).querySelector([...hide, ...mask].join(',')) !== null);
}

/** Runs in the page. Adds the styles to the parts that have none yet. Returns whether the selectors match there. */
function coverParts({ hide, mask, mark }: Covering, safe: SafeAccess): boolean {
  const covered = ((globalThis as unknown as World)[Symbol.for('covered')] ??= new WeakSet());
  const bare = openParts(document, safe).filter((part) => !covered.has(part));
  if (bare.length === 0) return false;
  const painted = `filter: url("#${mark}") !important; opacity: 1 !important; transition: none !important`;
  const rules = [
    ...hide.map((selector) => `${selector} { display: none !important }`),
    ...(mask.length > 0
      ? [`.${mark} { position: absolute !important; width: 0 !important; height: 0 !important }`]
      : []),
    ...mask.map((selector) => `${selector} { ${painted} }`),
  ];
  const sheets = rules.map((rule) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rule);
    return sheet;
  });
  let hasMatch = false;
  for (const part of bare) {
    covered.add(part);
    const root = part instanceof Document ? (safe(part).documentElement as Element | null) : part;
    // Without a root there is nothing to cover.
    if (!root) continue;
    if (mask.length > 0) safe<Node>(root).appendChild(drawMask(mark));
    safe(part).adoptedStyleSheets = [...safe(part).adoptedStyleSheets, ...sheets];
    const found = safe(part).querySelectorAll<HTMLElement>([...hide, ...mask].join(','));
    hasMatch ||= found.length > 0;
    for (const element of found)
      if (mask.some((each) => safe(element).matches(each))) enforceMask(element, mark, safe);
  }
  return hasMatch;
}

/** Runs in the page. An important style of its own wins against sheets, and what has no box of its own is not painted over. */
function enforceMask(element: HTMLElement, mark: string, safe: SafeAccess): void {
  const { display, filter } = getComputedStyle(element);
  const { style } = safe(element);
  if (!filter.includes(mark)) style.setProperty('filter', `url("#${mark}")`, 'important');
  if (display === 'contents') style.setProperty('display', 'block', 'important');
}

/**
 * Runs in the page. Formats that write the DOM, with that of frames of the same origin, leave out what draws the masks, and the
 * content of masked elements with it.
 */
function markOwn(mark: string, safe: SafeAccess): void {
  const own = ((globalThis as unknown as World)[Symbol.for('own')] ??= new WeakSet());
  const documents: Document[] = [document];
  for (const page of documents) {
    for (const part of openParts(page, safe)) {
      const { adoptedStyleSheets: sheets } = safe(part);
      const isOwn = ({ cssRules }: CSSStyleSheet): boolean => cssRules[0]?.cssText.includes(mark) === true;
      for (const thing of [...[...sheets].filter(isOwn), ...safe(part).querySelectorAll(`.${mark}`)])
        own.add(thing);
      for (const frame of safe(part).querySelectorAll<HTMLIFrameElement>('iframe, frame')) {
        const { contentDocument: inner } = safe(frame);
        if (inner && documents.length < 100) documents.push(inner);
      }
    }
  }
}

/** Runs in the page. */
function drawMask(mark: string): Element {
  const svg = (tag: string, attributes: Record<string, string>, ...children: Element[]): Element => {
    const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };
  // The region is exactly the element's box; by default it is a tenth larger on each side.
  const region = { id: mark, x: '0', y: '0', width: '1', height: '1' };
  return svg('svg', { class: mark }, svg('filter', region, svg('feFlood', { 'flood-color': '#000' })));
}

/** Runs in the page. Adds a style sheet as those above. */
export function addStyleSheet(css: string, safe: SafeAccess): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  safe(document).adoptedStyleSheets = [...safe(document).adoptedStyleSheets, sheet];
}
