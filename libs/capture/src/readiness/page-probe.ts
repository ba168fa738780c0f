import type { ChangeProbe } from './change-probe.js';
import type { ContentProbe } from './content-probe.js';
import type { SafeAccess } from '../pipeline/in-page.js';
import { motionOf } from '../pipeline/page-motion.js';
import type { Look, LookAt } from '../pipeline/page-look.js';
import type { Placeholders } from './placeholder-probe.js';
import type { WindowReader } from './window-reader.js';

/** When the load of a page hangs, it counts as loaded this long after its DOMContentLoaded. */
export const LOAD_HANGS_MS = 3_000;

interface PageParts {
  readonly safe: SafeAccess;
  readonly reader: WindowReader;
  readonly content: ContentProbe;
  readonly changes: ChangeProbe;
}

/**
 * Runs in the page, in the isolated world of `inPage`. It follows the changes of the document from its DOMContentLoaded on,
 * and looks at the page when it is asked to. A document may have any number of nodes, so that every list is cut.
 */
export class PageProbe {
  /** When each thing that is under way was first missed. */
  private readonly missedAt = new WeakMap<object, number>();
  private readonly gap = {};
  private hasLooked = false;
  private readonly decoded = new WeakSet<HTMLImageElement>();

  private readonly safe: SafeAccess;

  constructor(private readonly parts: PageParts) {
    this.safe = parts.safe;
    const page = this.safe(document);
    const start = (): void => {
      parts.changes.observe();
    };
    if (page.readyState === 'loading') page.addEventListener('DOMContentLoaded', start);
    else start();
  }

  look({ isStreaming, timeType }: LookAt): Look {
    const page = this.safe(document);
    const { loadEventEnd: loadedAt, isHanging } = this.times();
    const now = performance.now();
    // What an endless load has not brought by its first look has been under way since the document was parsed.
    const since = isHanging && !this.hasLooked ? 0 : now;
    this.hasLooked = true;
    const fonts = page.fonts.status === 'loaded' ? 'loaded' : 'pending';
    const { areAwaited, ...images } = this.images(since);
    const { changes } = this.parts;
    const { content, ...shown } = this.parts.content.look(changes.hasChanged, isStreaming);
    const { quietMs, isTyping, arrivals } = changes.look(now);
    return {
      isLoaded: page.readyState === 'complete' || isHanging,
      fonts,
      images,
      areFontsAwaited: fonts === 'pending' && this.isAwaited(page.fonts, since),
      areImagesAwaited: areAwaited,
      content:
        content === 'drawn' && this.arePlaceholdersAwaited(shown.placeholders, now) ? 'partial' : content,
      isStreaming,
      hasGap: shown.hasGap && (isStreaming || this.isAwaited(this.gap, now, 1_500)),
      isTyping: isTyping || shown.isUncovering,
      arrivals: shown.isBare ? arrivals : [],
      quietMs,
      hasChangedSinceLoad: changes.hasChangedSince(loadedAt || -Infinity),
      // A clock counts as well: its changes are not awaited, and may move the rest.
      isAnimated: shown.isAnimated || changes.isTicking(now),
      motion: motionOf({ withinMs: 2_000, type: timeType }, this.safe),
      height: (page.scrollingElement ?? page.documentElement)?.scrollHeight ?? 0,
    };
  }

  private times(): { readonly loadEventEnd: number; readonly isHanging: boolean } {
    const [times] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
    const { loadEventEnd = 0, domContentLoadedEventEnd: parsedAt = 0 } = times ?? {};
    const isHanging = loadEventEnd === 0 && parsedAt > 0 && performance.now() - parsedAt >= 3_000;
    return { loadEventEnd, isHanging };
  }

  /** What takes longer hangs: it is part of how the page looks. */
  private isAwaited(missing: object, since: number, withinMs = 3_000): boolean {
    if (!this.missedAt.has(missing)) this.missedAt.set(missing, since);
    return performance.now() - (this.missedAt.get(missing) ?? 0) < withinMs;
  }

  /** A page that shows little else is waited for longer. */
  private arePlaceholdersAwaited({ elements, areLarge }: Placeholders, now: number): boolean {
    return elements.filter((each) => this.isAwaited(each, now, areLarge ? 8_000 : 3_000)).length > 0;
  }

  private images(since: number): Look['images'] & { readonly areAwaited: boolean } {
    const counts = { total: 0, pending: 0, broken: 0 };
    let areAwaited = false;
    const images = Array.prototype.slice.call(this.safe(document).images, 0, 2_000) as HTMLImageElement[];
    for (const img of images) {
      if ((!img.currentSrc && !img.src) || !this.parts.reader.isInWindow(img, 0)) continue;
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
