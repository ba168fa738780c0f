import type { ContentProbe } from './content-probe.js';
import type { SafeAccess } from './in-page.js';
import type { WindowReader } from './window-reader.js';

/** What a page looks like at one moment. */
export interface Look {
  /** Its parser, scripts, style sheets and eager images have loaded. */
  readonly isLoaded: boolean;
  readonly fonts: 'loaded' | 'pending';
  /** Images of the window. */
  readonly images: { readonly total: number; readonly pending: number; readonly broken: number };
  /** Fonts, or images of the window, are under way and do not hang. */
  readonly isLoading: boolean;
  /**
   * `drawn`: it shows something. `partial`: parts of it are placeholders. `empty`: it shows nothing, or only that it is
   * loading, and a script may still draw it.
   */
  readonly content: 'drawn' | 'partial' | 'empty';
  /** Time in ms since the content changed; null when no change has been seen. */
  readonly quietMs: number | null;
  /** The content has changed since the load. */
  readonly hasChangedSinceLoad: boolean;
  /** Something moves endlessly, so that the browser computes the layout again and again. */
  readonly isAnimated: boolean;
  /** Height of the document in CSS px. */
  readonly height: number;
}

/** When the load of a page hangs, it counts as loaded this long after its DOMContentLoaded. */
export const LOAD_HANGS_MS = 3_000;

/**
 * Runs in the page, in the isolated world of `inPage`. It follows the changes of the document from its DOMContentLoaded on,
 * and looks at the page when it is asked to. A document may have any number of nodes, so that every list is cut.
 */
export class PageProbe {
  /** How often the parts of the document have changed, and since when. */
  private readonly changes = new WeakMap<Node, { readonly since: number; count: number }>();
  private changedAt = -Infinity;
  private tickedAt = -Infinity;
  /** When each thing that is under way was first missed. */
  private readonly missedAt = new WeakMap<object, number>();
  private hasLooked = false;
  private readonly decoded = new WeakSet<HTMLImageElement>();

  constructor(
    private readonly safe: SafeAccess,
    private readonly reader: WindowReader,
    private readonly contentProbe: ContentProbe,
  ) {
    const observer = new MutationObserver((records) => {
      for (const record of records) this.note(record);
    });
    const start = (): void => {
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    };
    const page = safe(document);
    if (page.readyState === 'loading') page.addEventListener('DOMContentLoaded', start);
    else start();
  }

  look(): Look {
    const page = this.safe(document);
    const { loadEventEnd: loadedAt, isHanging } = this.times();
    const now = performance.now();
    // What an endless load has not brought by its first look has been under way since the document was parsed.
    const since = isHanging && !this.hasLooked ? 0 : now;
    this.hasLooked = true;
    const fonts = page.fonts.status === 'loaded' ? 'loaded' : 'pending';
    const { areAwaited, ...images } = this.images(since);
    const { content, placeholders, isAnimated } = this.contentProbe.look(this.changedAt !== -Infinity);
    const isPartial = placeholders.filter((each) => this.isAwaited(each, now)).length > 0;
    return {
      isLoaded: page.readyState === 'complete' || isHanging,
      fonts,
      images,
      isLoading: areAwaited || (fonts === 'pending' && this.isAwaited(page.fonts, since)),
      content: content === 'drawn' && isPartial ? 'partial' : content,
      quietMs: this.changedAt === -Infinity ? null : now - this.changedAt,
      hasChangedSinceLoad: this.changedAt > (loadedAt || -Infinity),
      // A clock counts as well: its changes are not awaited, and may move the rest.
      isAnimated: isAnimated || now - this.tickedAt < 500,
      height: (page.scrollingElement ?? page.documentElement)?.scrollHeight ?? 0,
    };
  }

  private times(): { readonly loadEventEnd: number; readonly isHanging: boolean } {
    const [times] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
    const { loadEventEnd = 0, domContentLoadedEventEnd: parsedAt = 0 } = times ?? {};
    const isHanging = loadEventEnd === 0 && parsedAt > 0 && performance.now() - parsedAt >= 3_000;
    return { loadEventEnd, isHanging };
  }

  /** What takes more than 3 s hangs: it is part of how the page looks. */
  private isAwaited(missing: object, since: number): boolean {
    if (!this.missedAt.has(missing)) this.missedAt.set(missing, since);
    return performance.now() - (this.missedAt.get(missing) ?? 0) < 3_000;
  }

  /**
   * A page that gets more elements is being built. An element that keeps changing in other ways for 1.5 s is a clock, a
   * counter or an animation, and will never be quiet.
   */
  private note({ target, type, addedNodes, removedNodes }: MutationRecord): void {
    const element = target instanceof Element ? target : target.parentElement;
    if (!element || Element.prototype.closest.call(element, 'head, script, style')) return;
    const elementsIn = (list: NodeList): number =>
      Array.prototype.filter.call(list, (node) => node instanceof Element).length;
    const grows = type === 'childList' && elementsIn(addedNodes) > elementsIn(removedNodes);
    const now = performance.now();
    const known = this.changes.get(element) ?? { since: now, count: 0 };
    known.count += 1;
    this.changes.set(element, known);
    if (grows || known.count < 4 || now - known.since < 1_500) this.changedAt = now;
    else this.tickedAt = now;
  }

  private images(since: number): Look['images'] & { readonly areAwaited: boolean } {
    const counts = { total: 0, pending: 0, broken: 0 };
    let areAwaited = false;
    const images = Array.prototype.slice.call(this.safe(document).images, 0, 2_000) as HTMLImageElement[];
    for (const img of images) {
      if ((!img.currentSrc && !img.src) || !this.reader.isInWindow(img, 0)) continue;
      counts.total += 1;
      if (img.complete && img.naturalWidth === 0) counts.broken += 1;
      if (this.isDecoded(img)) continue;
      counts.pending += 1;
      if (this.isAwaited(img, since)) areAwaited = true;
    }
    return { ...counts, areAwaited };
  }

  /** Chromium decodes large images beside its other work, and may take a screenshot before it has done so. */
  private isDecoded(img: HTMLImageElement): boolean {
    if (!img.complete) return false;
    // Chromium does so with images of more than 512 kB of pixels.
    if (img.naturalWidth * img.naturalHeight < 131_072 || this.decoded.has(img)) return true;
    const done = (): unknown => this.decoded.add(img);
    void img.decode().then(done, done);
    return false;
  }
}
